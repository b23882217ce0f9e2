internal import HealthModel

/// The CSV of HRV Logger: `date, rr, since start`, a line for each interval; the last column is milliseconds from the start to the beat.
///
/// A gap is a difference of `since start` that is greater than `rr`.
package enum HRVLoggerWriter: RecordingWriter {
  package static let format = InterchangeFormat.hrvlogger

  static let heading = "date, rr, since start"

  package static func write<Failure: Error>(
    _ recording: InterchangeRecording, to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var buffer = PieceBuffer()
    buffer.append(heading + "\n")
    // Of a stretch the first beat is at its time, the others at the sums of intervals: so columns agree to the millisecond.
    var sinceStart: Int64 = 0
    for beat in MeasuredBeats(recording, followsClock: true) {
      guard let milliseconds = beat.interval else {
        sinceStart = max(sinceStart, beat.time.microseconds(since: recording.span.start) / 1000)
        continue
      }
      sinceStart += milliseconds
      buffer.append(date(recording.span.start.advanced(byMicroseconds: sinceStart * 1000)))
      buffer.append(", ")
      buffer.append(milliseconds)
      buffer.append(", ")
      buffer.append(sinceStart)
      buffer.append(byte: UInt8(ascii: "\n"))
      try buffer.hand(to: receive)
    }
    try buffer.hand(to: receive, all: true)
  }

  /// `2026-03-11 09:57:38 +0000`
  private static func date(_ time: Timestamp) -> String {
    let text = time.iso8601(fractionDigits: 0)
    return text.replacing("T", with: " ").replacing("Z", with: " +0000")
  }
}
