import HealthModel
import Testing

@testable import HealthInterchange

@Suite("EDF+")
struct EDFTests {
  private func field(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: width - text.utf8.count)
  }

  @Test("a header of fixed fields, then records of ten seconds: rates, and annotations at their microseconds")
  func written() throws {
    let bytes = InterchangeFormat.edf.bytes(of: try MadeUp.withGap())
    let header = String(decoding: bytes.prefix(768), as: UTF8.self)
    let first = "+0\u{14}\u{14}\0+0.400000\u{14}beat\u{14}\0+1.400000\u{14}beat\u{14}\0+2.400000\u{14}beat\u{14}\0"
    let gap = "+2.400000\u{15}6.300000\u{14}gap link\u{14}\0"
    let lists = [
      first + gap + "+8.700000\u{14}beat\u{14}\0+9.700000\u{14}beat\u{14}\0",
      "+10\u{14}\u{14}\0+10.700000\u{14}beat\u{14}\0",
    ]
    let room = (lists[0].utf8.count + 1) / 2 * 2
    #expect(
      header == field("0", 8) + field("X X X X", 80)
        + field("Startdate 21-NOV-2026 3f2a91bc-1111-4222-8333-444444444444 X Strap_<A&B>", 80)
        + "21.11.2602.08.08768     " + field("EDF+C", 44) + field("2", 8) + field("10", 8) + field("2", 4)
        + field("HR", 16) + "EDF Annotations " + field("heart rate, 0 where there is none", 80) + field("", 80)
        + field("bpm", 8) + field("", 8) + field("0", 8) + field("-1", 8) + field("32767", 8) + field("1", 8)
        + field("0", 8) + field("-32768", 8) + field("32767", 8) + field("32767", 8) + field("", 160)
        + field("10", 8) + field("\(room / 2)", 8) + field("", 64))
    let rates: [[UInt8]] = [[60, 61, 62, 0, 0, 0, 0, 0, 0, 70], [71, 72, 0, 0, 0, 0, 0, 0, 0, 0]]
    var records: [UInt8] = []
    for (rates, list) in zip(rates, lists) {
      for rate in rates { records += [rate, 0] }
      records += Array(list.utf8) + [UInt8](repeating: 0, count: room - list.utf8.count)
    }
    #expect(Array(bytes.dropFirst(768)) == records)
  }

  @Test("what was found about a beat stands beside it")
  func doubts() throws {
    var builder = HeartbeatSeriesBuilder()
    try builder.beginRun(AffineTimeMap(anchor: MadeUp.start))
    try builder.add(rrTicks: 900, precededByGap: true, flags: .firstOfRun)
    try builder.add(rrTicks: 512, flags: [.ectopic, .implausible])
    let text = InterchangeFormat.edf.text(of: MadeUp.recording(seconds: 2, beats: try builder.finish()))
    #expect(text.contains("+0.500000\u{14}beat ectopic+implausible\u{14}\0"))
  }

  @Test(
    "years that two digits do not have are refused",
    arguments: [(1984, false), (1985, true), (2084, true), (2085, false)])
  func years(year: Int, isRight: Bool) throws {
    let start = try #require(Timestamp(iso8601: "\(year)-06-01T00:00:00Z"))
    var recording = MadeUp.recording(seconds: 2)
    recording.span = try #require(TimeSpan(start: start, end: start.advanced(byMicroseconds: 1_000_000)))
    recording.rates = [HeartRateValue(time: start, beatsPerMinute: 60)]
    #expect((InterchangeFormat.edf.refusal(recording) == nil) == isRight)
  }

  @Test("what has a value for each second is no file without an end")
  func endless() throws {
    for (days, isRight) in [(366, true), (367, false)] as [(Int64, Bool)] {
      var recording = MadeUp.recording(seconds: 2)
      let end = recording.span.start.advanced(byMicroseconds: days * 86_400_000_000)
      recording.span = try #require(TimeSpan(start: recording.span.start, end: end))
      recording.rates = [recording.span.start, end].map { HeartRateValue(time: $0, beatsPerMinute: 60) }
      for format in [InterchangeFormat.edf, .fhir] { #expect((format.refusal(recording) == nil) == isRight) }
    }
  }
}
