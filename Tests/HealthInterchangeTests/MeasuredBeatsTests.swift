import HealthModel
import Testing

@testable import HealthInterchange

@Suite("Measured beats")
struct MeasuredBeatsTests {
  private func milliseconds(_ recording: InterchangeRecording, followsClock: Bool = false) -> [Int64?] {
    MeasuredBeats(recording, followsClock: followsClock).map(\.interval)
  }

  @Test("no interval spans a gap, and the first beat of a run has none")
  func gaps() throws {
    #expect(milliseconds(try MadeUp.withGap()) == [nil, 1000, 1000, nil, 1000, 1000])
  }

  @Test("a beat behind a gap in its run begins a stretch, too")
  func gapInRun() throws {
    var builder = HeartbeatSeriesBuilder()
    try builder.beginRun(AffineTimeMap(anchor: MadeUp.start))
    try builder.add(rrTicks: 900, precededByGap: true, flags: .firstOfRun)
    try builder.add(rrTicks: 512)
    try builder.add(rrTicks: 2048, precededByGap: true, flags: .missed)
    try builder.add(rrTicks: 512)
    let recording = MadeUp.recording(seconds: 10, beats: try builder.finish())
    #expect(milliseconds(recording) == [nil, 500, nil, 500])
  }

  @Test(
    "beats that were invented or surplus are left out, and what follows begins anew",
    arguments: [Heartbeat.Flags.filler, .surplus])
  func leftOut(flag: Heartbeat.Flags) throws {
    var builder = HeartbeatSeriesBuilder()
    try builder.beginRun(AffineTimeMap(anchor: MadeUp.start))
    try builder.add(rrTicks: 900, flags: .firstOfRun)
    try builder.add(rrTicks: 512)
    try builder.add(rrTicks: 512, flags: flag)
    try builder.add(rrTicks: 512)
    try builder.add(rrTicks: 256)
    let recording = MadeUp.recording(seconds: 10, beats: try builder.finish())
    #expect(milliseconds(recording) == [nil, 500, nil, 250])
  }

  @Test("rounding does not add up: 5,000 intervals of 1,000.5 ticks are within half a millisecond")
  func rounding() throws {
    let ticks = (0..<5000).map { UInt32($0 % 2 == 0 ? 1000 : 1001) }
    let found = milliseconds(MadeUp.recording(seconds: 6000, beats: try MadeUp.series([(0, ticks)])))
    let sum = found.compactMap { $0 }.reduce(0, +)
    let exact = Double(ticks.reduce(0, +)) / 1.024
    #expect(abs(Double(sum) - exact) <= 0.5)
    #expect(zip(found.dropFirst(), ticks).allSatisfy { abs(Double($0!) - Double($1) / 1.024) < 1 })
  }

  @Test("where the sensor's clock is wrong, intervals stay its own, or follow the clock if asked, a millisecond each")
  func drift() throws {
    let ticks = [UInt32](repeating: 1024, count: 10_000)
    let recording = MadeUp.recording(seconds: 20_000, beats: try MadeUp.series([(0, ticks)], slope: 100_000))
    let own = milliseconds(recording).compactMap { $0 }
    let followed = milliseconds(recording, followsClock: true).compactMap { $0 }
    #expect(own.allSatisfy { $0 == 1000 })
    // A second more went by; a quarter of it is left as it is.
    #expect(followed.reduce(0, +) == 10_000_750)
    #expect(followed.allSatisfy { $0 == 1000 || $0 == 1001 })
  }

  @Test("beats outside of the recording's time are left out")
  func outside() throws {
    let beats = try MadeUp.series([(-2.5, [1024, 1024, 1024, 1024])])
    #expect(milliseconds(MadeUp.recording(seconds: 1, beats: beats)) == [nil])
  }
}
