internal import HealthModel

/// The annotations of EDF+ (time-stamped annotations lists), a record at a time.
struct EDFAnnotations {
  private let recording: InterchangeRecording
  private var beats: MeasuredBeats
  private var beat: MeasuredBeats.Beat?
  /// The moment from which onsets are counted: the second in which the recording began.
  private let origin: Timestamp
  private var last: Timestamp?

  init(_ recording: InterchangeRecording) {
    self.recording = recording
    beats = MeasuredBeats(recording)
    beat = beats.next()
    origin = Timestamp(microseconds: recording.span.start.microseconds.flooredSeconds * 1_000_000)
  }

  /// The list of a record: its own time, then what is in it.
  mutating func record(_ number: Int64) -> [UInt8] {
    let end = (number + 1) * EDFWriter.secondsPerRecord * 1_000_000
    var bytes = Array("+\(number * EDFWriter.secondsPerRecord)\u{14}\u{14}\0".utf8)
    while let one = beat, one.time.microseconds(since: origin) < end {
      if let last, one.interval == nil { append(gap(from: last, to: one.time), from: last, to: one.time, &bytes) }
      let doubts = one.flags.subtracting(.firstOfRun).names.joined(separator: "+")
      append(doubts.isEmpty ? "beat" : "beat \(doubts)", from: one.time, to: nil, &bytes)
      last = one.time
      beat = beats.next()
    }
    return bytes
  }

  private func gap(from start: Timestamp, to end: Timestamp) -> String {
    recording.gaps.last { $0.start < end && $0.end > start }.map { "gap \($0.reason)" } ?? "gap"
  }

  private func append(_ text: String, from start: Timestamp, to end: Timestamp?, _ bytes: inout [UInt8]) {
    bytes += "+\(Self.seconds(start.microseconds(since: origin)))".utf8
    if let end { bytes += "\u{15}\(Self.seconds(end.microseconds(since: start)))".utf8 }
    bytes += "\u{14}\(text)\u{14}\0".utf8
  }

  private static func seconds(_ microseconds: Int64) -> String {
    let (whole, rest) = max(microseconds, 0).quotientAndRemainder(dividingBy: 1_000_000)
    return "\(whole).\("\(1_000_000 + rest)".dropFirst())"
  }
}
