/// A writer of a format whose files can hold several recordings, one after the other.
package protocol CollectionWriter: RecordingWriter {
  /// What stands before the first recording, which is this one.
  static func begin(_ first: InterchangeRecording, _ buffer: inout PieceBuffer)

  /// Writes a recording, and hands what is written to `receive` piece by piece.
  static func append<Failure: Error>(
    _ recording: InterchangeRecording, isFirst: Bool, _ buffer: inout PieceBuffer,
    to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure)

  /// What stands behind the last one.
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

/// A file of several recordings that is being written: of each only while it is appended something is kept.
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
