internal import FoundationEssentials
internal import HealthModel

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
    // What is not known is X, and blanks separate: patient, then date, number of the recording, who did it, with what.
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
