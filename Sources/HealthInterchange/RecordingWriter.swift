/// Writes recordings in one format.
///
/// A writer is pure: the same recording gives the same bytes. They leave in pieces, so that memory does not grow with a recording.
package protocol RecordingWriter {
  /// The format that this writer writes.
  static var format: InterchangeFormat { get }

  /// Writes `recording`, and hands what is written to `receive` piece by piece.
  static func write<Failure: Error>(
    _ recording: InterchangeRecording, to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure)
}

/// A writer of a format whose files can hold several recordings, one after the other.
package protocol CollectionWriter: RecordingWriter {
  /// Writes the beginning of a file whose first recording is `first`.
  static func begin(_ first: InterchangeRecording, _ buffer: inout PieceBuffer)

  /// Writes a recording, and hands what is written to `receive` piece by piece.
  static func append<Failure: Error>(
    _ recording: InterchangeRecording, isFirst: Bool, _ buffer: inout PieceBuffer,
    to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure)

  /// Writes the end of a file, behind the last recording.
  static func end(_ buffer: inout PieceBuffer)
}

extension CollectionWriter {
  package static func write<Failure: Error>(
    _ recording: InterchangeRecording, to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var buffer = PieceBuffer()
    begin(recording, &buffer)
    try append(recording, isFirst: true, &buffer, to: receive)
    end(&buffer)
    try buffer.hand(to: receive, all: true)
  }
}

/// A file of several recordings that is being written. A recording is in memory only while it is appended.
package struct RecordingCollection: ~Copyable {
  private let writer: any CollectionWriter.Type
  private var buffer = PieceBuffer()
  private var isEmpty = true

  /// Nil for a format that has one recording in a file.
  package init?(_ format: InterchangeFormat) {
    guard let writer = format.collectionWriter else { return nil }
    self.writer = writer
  }

  /// Appends a recording.
  package mutating func append<Failure: Error>(
    _ recording: InterchangeRecording, to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    if isEmpty { writer.begin(recording, &buffer) }
    try writer.append(recording, isFirst: isEmpty, &buffer, to: receive)
    isEmpty = false
  }

  /// Ends the file, if there is a recording in it.
  package mutating func finish<Failure: Error>(to receive: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    guard !isEmpty else { return }
    writer.end(&buffer)
    try buffer.hand(to: receive, all: true)
  }
}

/// Collects bytes into pieces that are worth a call.
package struct PieceBuffer: ~Copyable {
  private(set) var bytes: [UInt8] = []
  static let size = 65_536

  package init() {
    bytes.reserveCapacity(Self.size + 4096)
  }

  package mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  package mutating func append(_ number: Int64) {
    guard number >= 0 else { return append("\(number)") }
    let start = bytes.count
    var rest = number
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  package mutating func append(byte: UInt8) { bytes.append(byte) }

  package mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Hands on what there is where it is enough.
  package mutating func hand<Failure: Error>(
    to receive: ([UInt8]) throws(Failure) -> Void, all: Bool = false
  ) throws(Failure) {
    guard bytes.count >= Self.size || (all && !bytes.isEmpty) else { return }
    try receive(bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}

/// Text in JSON.
enum JSONText {
  /// A string with its quotes.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\0"..<" ": quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

/// Text in XML.
enum XMLText {
  /// For an element or an attribute; characters that XML cannot have become U+FFFD.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      // In an attribute they would be read as blanks.
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
      case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
