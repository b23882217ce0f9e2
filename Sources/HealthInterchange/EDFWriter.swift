internal import FoundationEssentials
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
        // A rate outside the time of this recording has no place in the file.
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

/// The header of an EDF+ file: fields of fixed width in ASCII. It has no time zone; times are UTC.
enum EDFHeader {
  /// Rates are stored as they are; 0 is a second without one.
  static let greatestRate: UInt16 = 32_767

  private static let months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]

  /// Two digits of a year mean 1985 to 2084.
  static func canBegin(at time: Timestamp) -> Bool {
    Int(time.iso8601().prefix(4)).map { $0 >= 1985 && $0 <= 2084 } ?? false
  }

  static func bytes(of recording: InterchangeRecording, records: Int64, annotationBytes: Int) -> [UInt8] {
    // 2026-11-21T02:08:08Z
    let start = recording.span.start.iso8601(fractionDigits: 0)
    let date = start.prefix(10).split(separator: "-")
    let time = start.dropFirst(11).prefix(8).replacing(":", with: ".")
    let month = Int(date[1]).map { months[$0 - 1] } ?? ""
    // An unknown field is X, and blanks separate: patient, then date, number of the recording, technician, equipment.
    let equipment = plain(recording.device.model ?? recording.device.name ?? "X").replacing(" ", with: "_")
    let id = recording.id.uuidString.lowercased()
    var text = field("0", 8) + field("X X X X", 80)
    text += field("Startdate \(date[2])-\(month)-\(date[0]) \(id) X \(equipment)", 80)
    text += field("\(date[2]).\(date[1]).\(date[0].suffix(2))", 8) + field(time, 8)
    text += field("\(256 * 3)", 8) + field("EDF+C", 44)
    text += field("\(records)", 8) + field("\(EDFWriter.secondsPerRecord)", 8) + field("2", 4)
    let signals: [(width: Int, rate: String, annotations: String)] = [
      (16, "HR", "EDF Annotations"), (80, "heart rate, 0 where there is none", ""), (8, "bpm", ""), (8, "0", "-1"),
      (8, "\(greatestRate)", "1"), (8, "0", "-32768"), (8, "\(greatestRate)", "32767"), (80, "", ""),
      (8, "\(EDFWriter.secondsPerRecord)", "\(annotationBytes / 2)"), (32, "", ""),
    ]
    for signal in signals { text += field(signal.rate, signal.width) + field(signal.annotations, signal.width) }
    return Array(text.utf8)
  }

  private static func plain(_ text: String) -> String {
    String(text.unicodeScalars.map { $0.value >= 0x20 && $0.value < 0x7F ? Character($0) : "?" })
  }

  private static func field(_ text: some StringProtocol, _ width: Int) -> String {
    let kept = String(text.prefix(width))
    return kept + String(repeating: " ", count: width - kept.count)
  }
}

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
