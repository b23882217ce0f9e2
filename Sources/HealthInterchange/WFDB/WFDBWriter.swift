internal import HealthModel

/// WFDB: a header, and annotations with each beat at its time and a note at each gap.
///
/// These are two files. What is written here is the header, a zero byte, which no header has, and the annotations.
package enum WFDBWriter: RecordingWriter {
  package static let format = InterchangeFormat.wfdb

  package static func write<Failure: Error>(
    _ recording: InterchangeRecording, to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let perSecond = Int64(recording.heartbeats.timescale)
    var buffer = PieceBuffer()
    let length = ticks(of: recording.span.end, in: recording, perSecond)
    buffer.append(WFDBHeader.text(of: recording, ticksPerSecond: perSecond, length: length))
    buffer.append(byte: 0)
    append(WFDBCodes.note, after: 0, "\(WFDBCodes.resolution)\(perSecond)", to: &buffer)
    var position: Int64 = 0
    var last: Int64?
    for beat in MeasuredBeats(recording, perSecond: perSecond, followsClock: true) {
      var place = ticks(of: beat.time, in: recording, perSecond)
      if let last {
        place = beat.interval.map { last + $0 } ?? max(place, last + 2)
        if beat.interval == nil {
          append(WFDBCodes.note, after: last + 1 - position, gap(before: beat, in: recording), to: &buffer)
          position = last + 1
        }
      }
      let doubts = beat.flags.subtracting(.firstOfRun)
      append(
        doubts.isEmpty ? WFDBCodes.normal : WFDBCodes.unclassified, after: place - position,
        doubts.names.joined(separator: "+"), to: &buffer)
      (position, last) = (place, place)
      try buffer.hand(to: receive)
    }
    buffer.append([0, 0])
    try buffer.hand(to: receive, all: true)
  }

  private static func ticks(of time: Timestamp, in recording: InterchangeRecording, _ perSecond: Int64) -> Int64 {
    let microseconds = max(time.microseconds(since: recording.span.start), 0)
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return seconds * perSecond + (rest * perSecond + 500_000) / 1_000_000
  }

  /// `gap`, with the reason where one is known.
  private static func gap(before beat: MeasuredBeats.Beat, in recording: InterchangeRecording) -> String {
    let gap = recording.gaps.last { $0.start < beat.time }
    guard let gap, gap.end >= beat.time else { return WFDBCodes.gap }
    return "\(WFDBCodes.gap) \(gap.reason)"
  }

  /// An annotation: the ticks since the one before, its code, and a text.
  private static func append(_ code: UInt8, after ticks: Int64, _ text: String, to buffer: inout PieceBuffer) {
    var ticks = ticks
    if ticks > 1023 {
      // The longer form has its upper half first.
      append(word: UInt16(WFDBCodes.skip) << 10, to: &buffer)
      append(word: UInt16(truncatingIfNeeded: ticks >> 16), to: &buffer)
      append(word: UInt16(truncatingIfNeeded: ticks), to: &buffer)
      ticks = 0
    }
    append(word: UInt16(code) << 10 | UInt16(ticks), to: &buffer)
    guard !text.isEmpty else { return }
    let bytes = Array(text.utf8.prefix(255))
    append(word: UInt16(WFDBCodes.auxiliary) << 10 | UInt16(bytes.count), to: &buffer)
    buffer.append(bytes)
    if bytes.count % 2 == 1 { buffer.append(byte: 0) }
  }

  private static func append(word: UInt16, to buffer: inout PieceBuffer) {
    buffer.append([UInt8(truncatingIfNeeded: word), UInt8(word >> 8)])
  }
}
