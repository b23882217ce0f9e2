internal import HealthModel

/// EDF+C: a signal with the rate of each second, and annotations with each beat at its time and each gap with its duration.
///
/// Records are ten seconds. All have as much room for annotations as the fullest needs, so what is written is made twice: first only
/// counted.
package enum EDFWriter: RecordingWriter {
  package static let format = InterchangeFormat.edf

  static let secondsPerRecord: Int64 = 10

  package static func write<Failure: Error>(
    _ recording: InterchangeRecording, to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let start = recording.span.start.microseconds.flooredSeconds
    let seconds = recording.span.end.microseconds.flooredSeconds - start + 1
    let count = (seconds + secondsPerRecord - 1) / secondsPerRecord
    var most = 0
    var counted = EDFAnnotations(recording)
    for record in 0..<count { most = max(most, counted.record(record).count) }
    let room = (most + 1) / 2 * 2
    var buffer = PieceBuffer()
    buffer.append(EDFHeader.bytes(of: recording, records: count, annotationBytes: room))
    var annotations = EDFAnnotations(recording)
    var rates = RateSeconds(recording)
    var rate = rates.next()
    for record in 0..<count {
      for second in (start + record * secondsPerRecord)..<(start + (record + 1) * secondsPerRecord) {
        // What is no time of this recording has no place in it.
        while let one = rate, one.second < second { rate = rates.next() }
        let value = rate.map { $0.second == second ? min($0.beatsPerMinute, EDFHeader.greatestRate) : 0 } ?? 0
        buffer.append([UInt8(truncatingIfNeeded: value), UInt8(value >> 8)])
      }
      let bytes = annotations.record(record)
      buffer.append(bytes)
      buffer.append(repeatElement(0, count: room - bytes.count))
      try buffer.hand(to: receive)
    }
    try buffer.hand(to: receive, all: true)
  }
}
