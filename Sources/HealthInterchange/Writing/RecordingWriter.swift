/// Writes recordings in one format.
///
/// A writer is pure: the same recording gives the same bytes. They leave in pieces, so that memory does not grow with a recording.
package protocol RecordingWriter {
  /// Which format.
  static var format: InterchangeFormat { get }

  /// Writes `recording`, and hands what is written to `receive` piece by piece.
  static func write<Failure: Error>(
    _ recording: InterchangeRecording, to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure)
}
