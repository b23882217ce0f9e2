internal import HealthModel

/// Intervals as text: whole milliseconds, one a line. It has neither times nor gaps: what follows a gap stands where it comes.
package enum IntervalTextWriter: RecordingWriter {
  package static let format = InterchangeFormat.rr

  package static func write<Failure: Error>(
    _ recording: InterchangeRecording, to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var buffer = PieceBuffer()
    for beat in MeasuredBeats(recording) {
      guard let milliseconds = beat.interval else { continue }
      buffer.append(milliseconds)
      buffer.append(byte: UInt8(ascii: "\n"))
      try buffer.hand(to: receive)
    }
    try buffer.hand(to: receive, all: true)
  }
}
