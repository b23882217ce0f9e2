/// Reads the project's own text format, captures and journal segments alike (Documentation/capture-format.md).
public enum CaptureReader {
  /// Reads `bytes`, the whole content of a file.
  ///
  /// - Throws: ``CaptureError`` if the bytes are empty, no capture, or of a newer version.
  public static func read(_ bytes: [UInt8]) throws(CaptureError) -> CaptureContents {
    var window = FileWindow(bytes)
    return try read(&window, limit: CaptureFile.greatestCount)
  }

  /// Reads a file from its first part on.
  static func read(_ window: inout FileWindow, limit: Int) throws(CaptureError) -> CaptureContents {
    var reader = RecordReader(keepsClientData: false, keepsNameless: true)
    var pass: RecordReader.Pass
    switch TextHeader.read(window.bytes.span) {
    case .capture(let version, let length):
      pass = reader.begin(file: nil, fileLength: window.fileLength, version: version, from: length)
    case .damaged(let reason):
      pass = reader.begin(file: nil, fileLength: window.fileLength, from: 0, headerDamage: reason)
    case .newer(let version):
      throw .newerVersion(found: version, supported: TextHeader.version)
    case .cutOff:
      guard !window.bytes.isEmpty else { throw .empty }
      throw .nothingReadable(CaptureDamage(record: 1, offset: 0, reason: .cutOff))
    case .foreign:
      throw .notACapture
    }
    repeat {
      reader.read(window.bytes.span, &pass)
      try CaptureFile.check(reader.eventCount, limit)
    } while try window.advance(&pass.position)
    reader.endFile(&pass)
    return CaptureContents(
      format: .sensord, captures: reader.sessions.map(\.capture), damages: reader.damages.first,
      damageCount: reader.damages.count, unknownRecords: reader.unknownRecords.first,
      unknownRecordCount: reader.unknownRecords.count)
  }
}

/// Writes the project's own text format (Documentation/capture-format.md).
public enum CaptureEncoder {
  /// The bytes of a file that holds only `capture`.
  public static func encode(_ capture: Capture) -> [UInt8] {
    var buffer = RecordBuffer()
    buffer.header(.capture)
    buffer.session(capture.header, slot: 1)
    var carried = capture.carried[...]
    for (index, event) in capture.log.enumerated() {
      while let record = carried.first, record.eventsBefore <= index {
        buffer.carried(record, slot: 1)
        carried.removeFirst()
      }
      buffer.event(event, slot: 1)
    }
    for record in carried { buffer.carried(record, slot: 1) }
    return buffer.copy()
  }
}

/// The first line of a text capture or journal segment: `sensord-capture 2 4f2c7a10`.
///
/// The form is the same in every version, so that an old reader can report that a file is newer.
enum TextHeader {
  /// The version that is written; all earlier ones are read.
  static let version = 2
  /// From this version on, a record of unknown kind belongs to a later program and is no damage.
  static let firstVersionWithUnknownKinds = 2
  /// The length of the first line that this version writes, with its newline; the same for both kinds of file.
  static let length = 27
  /// First lines are shorter than this.
  private static let greatestLength = 64

  enum Kind: CaseIterable {
    case capture, journal
  }

  /// The result of reading the start of a file.
  enum Outcome: Equatable {
    case capture(version: Int, length: Int)
    case newer(version: Int)
    /// The file ends within its first line, or a power cut left zeros in its place.
    case cutOff
    /// The first line is damaged, but records follow.
    case damaged(CaptureDamage.Reason)
    case foreign
  }

  static func word(for kind: Kind) -> String {
    switch kind {
    case .capture: "sensord-capture"
    case .journal: "sensord-journal"
    }
  }

  static func read(_ bytes: Span<UInt8>) -> Outcome {
    let line = firstLine(bytes)
    if let line, let version = version(line) {
      return version > Self.version ? .newer(version: version) : .capture(version: version, length: line.count + 1)
    }
    let zero = (0..<min(bytes.count, greatestLength)).first { bytes[$0] == 0 }
    if holdsRecords(bytes) { return .damaged(zero == nil ? .header : .zeros) }
    let end = zero ?? bytes.count
    return line == nil && end < greatestLength && isPrefix(bytes, to: end) ? .cutOff : .foreign
  }

  /// The version in an intact first line; nil for any other line.
  private static func version(_ line: [UInt8]) -> Int? {
    guard RecordLine.hasValidChecksum(line) else { return nil }
    var fields = RecordLine(line)
    guard let word = fields.word(), Kind.allCases.contains(where: { Self.word(for: $0) == word }) else { return nil }
    guard let version: Int = fields.integer(), version > 0 else { return nil }
    return version
  }

  private static func firstLine(_ bytes: Span<UInt8>) -> [UInt8]? {
    var line: [UInt8] = []
    for index in 0..<min(bytes.count, greatestLength) {
      if bytes[index] == UInt8(ascii: "\n") { return line }
      line.append(bytes[index])
    }
    return nil
  }

  private static func isPrefix(_ bytes: Span<UInt8>, to end: Int) -> Bool {
    Kind.allCases.contains { kind in
      let word = Array("\(Self.word(for: kind)) ".utf8)
      return (0..<min(end, word.count)).allSatisfy { bytes[$0] == word[$0] }
    }
  }

  /// Whether an intact record is among the first lines: then it is our file with a damaged first line.
  private static func holdsRecords(_ bytes: Span<UInt8>) -> Bool {
    var start = 0
    var lines = 0
    for index in 0..<min(bytes.count, 1 << 16) where bytes[index] == UInt8(ascii: "\n") {
      let line = RecordLine.behindZeros((start..<index).map { bytes[$0] })
      if RecordLine.hasValidChecksum(line), RecordLine.record(line) != nil { return true }
      start = index + 1
      lines += 1
      if lines == 16 { return false }
    }
    return false
  }
}
