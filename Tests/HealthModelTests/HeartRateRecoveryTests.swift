import Foundation
import HealthModel
import Testing

@Suite("The recovery of the heart rate")
struct HeartRateRecoveryTests {
  private static let begin = Timestamp(microseconds: 1_795_000_000_000_000)

  private static func time(_ second: Double) -> Timestamp {
    begin.advanced(byMicroseconds: Int64((second * 1_000_000).rounded()))
  }

  /// A heart of 180 a minute until second 100, and of 120 from then on, in ticks that can say that. `change` makes something of
  /// each beat.
  private static func beats(
    until end: Double = 170, _ change: (Double) -> (flags: Heartbeat.Flags, gap: Bool) = { _ in ([], false) }
  ) throws -> HeartbeatSeries {
    var builder = HeartbeatSeriesBuilder(timescale: 3_000)
    try builder.beginRun(AffineTimeMap(anchor: begin))
    // The first beat is at tick 0.
    var ticks = -1_000
    while Double(ticks) / 3_000 < end {
      let interval = ticks < 300_000 ? 1_000 : 1_500
      ticks += interval
      let (flags, gap) = change(Double(ticks) / 3_000)
      try builder.add(rrTicks: UInt32(interval), precededByGap: gap, flags: ticks == 0 ? .firstOfRun : flags)
    }
    return try builder.finish()
  }

  private func recovery(
    _ series: HeartbeatSeries, at end: Double = 100, rates: [HeartRateValue] = [], gaps: [RecordingGap] = []
  ) throws(RecoveryRefusal) -> HeartRateRecovery {
    try HeartRateRecovery(after: Self.time(end), heartbeats: series, rates: rates, gaps: gaps)
  }

  @Test("it is the rate of the last five seconds less that a minute later, and the sample says what is known")
  func figure() throws {
    let rates = [99.0, 101, 130, 161].map { HeartRateValue(time: Self.time($0), beatsPerMinute: UInt16($0 * 2)) }
    let recovery = try recovery(Self.beats(), rates: rates)
    #expect(abs(recovery.rateAtEnd - 180) < 1e-9 && abs(recovery.rateAfterMinute - 120) < 1e-9)
    #expect(abs(recovery.fall - 60) < 1e-9 && recovery.greatestRate == 260)
    let session = UUID(uuidString: "00000000-0000-4000-8000-00000000000A")!
    let plain = recovery.draft(in: session)
    #expect(plain.type == .quantity(.heartRateRecoveryOneMinute) && plain.span.microseconds == 60_000_000)
    #expect(plain.metadata == [HeartRateRecovery.greatestRateKey: .quantity(Quantity(260, .countPerMinute))])
    let told = recovery.draft(
      in: session, after: .init(testType: .maxExercise, activityType: 37, duration: .seconds(1_800)))
    #expect(told.metadata["heartRateRecoveryTestType"] == 1)
    #expect(told.metadata["heartRateRecoveryActivityType"] == 37)
    #expect(told.metadata["heartRateRecoveryActivityDuration"] == .quantity(Quantity(1_800, .second)))
    #expect(told.metadata["heartRateRecoveryMaxObservedRecoveryHeartRate"] != nil)
    #expect(told.sync == plain.sync && plain.sync?.identifier.hasPrefix("heartRateRecovery.1.00000000-0000") == true)
  }

  @Test("of a workout it says its activity, its length without pauses, and the kind of test where that is named")
  func exercise() throws {
    let pauses = [WorkoutEvent(.pause, at: Self.time(10)), WorkoutEvent(.resume, at: Self.time(30))]
    let span = try #require(TimeSpan(start: Self.time(0), end: Self.time(100)))
    let run = Workout(.init(.running), over: span, events: pauses, metadata: [HeartRateRecovery.testTypeKey: 2])
    #expect(
      HeartRateRecovery.Exercise(run)
        == .init(testType: .predictionSubMaxExercise, activityType: 37, duration: .seconds(80)))
  }

  @Test("the windows are five seconds before the end, and 57.5 to 62.5 s after it")
  func windows() throws {
    // A beat that is flagged in them, or ends one of their intervals, refuses; one outside does not.
    for (second, window) in [
      (94.6, nil), (95.2, .end), (97, .end), (100, .end), (103, nil), (157.2, nil), (157.6, .minuteLater),
      (160, .minuteLater), (162.6, .minuteLater), (163.6, nil),
    ] as [(Double, RecoveryRefusal.Window?)] {
      let series = try Self.beats { (abs($0 - second) < 0.17 ? .ectopic : [], false) }
      var refusal: RecoveryRefusal?
      do throws(RecoveryRefusal) { _ = try recovery(series) } catch { refusal = error }
      #expect(refusal == window.map { .flagged($0, .ectopic) }, "\(second)")
    }
  }

  @Test("every reason is told: no beats, not recorded, gaps, off the skin, a rate that rose")
  func refusals() throws {
    #expect(throws: RecoveryRefusal.noBeats) { try recovery(HeartbeatSeries()) }
    #expect(throws: RecoveryRefusal.notRecorded(.minuteLater)) { try recovery(Self.beats(until: 161.9)) }
    #expect(throws: RecoveryRefusal.notRecorded(.end)) { try recovery(Self.beats(), at: 4.9) }
    #expect(throws: RecoveryRefusal.gap(.end, reason: nil)) {
      try recovery(Self.beats { ([], abs($0 - 97) < 0.1) })
    }
    let link = RecordingGap(reason: "link", start: Self.time(158), end: Self.time(170))
    #expect(throws: RecoveryRefusal.gap(.minuteLater, reason: "link")) { try recovery(Self.beats(), gaps: [link]) }
    let contact = RecordingGap(reason: "contact", start: Self.time(98), end: Self.time(99))
    #expect(throws: RecoveryRefusal.offSkin(.end)) { try recovery(Self.beats(), gaps: [contact]) }
    // What a sensor sends of its contact may be two seconds old.
    for (second, window) in [
      (92.9, nil), (93.1, .end), (101.9, .end), (102.1, nil), (155.4, nil), (155.6, .minuteLater), (163, .minuteLater),
      (164.6, nil),
    ] as [(Double, RecoveryRefusal.Window?)] {
      let off = HeartRateValue(time: Self.time(second), beatsPerMinute: 250, contact: .notDetected)
      var refusal: RecoveryRefusal?
      let series = try Self.beats()
      do throws(RecoveryRefusal) {
        let greatest = try recovery(series, rates: [off]).greatestRate
        #expect(greatest == nil, "it is of no heart")
      } catch {
        refusal = error
      }
      #expect(refusal == window.map { .offSkin($0) }, "\(second)")
    }
    // The place of a gap is known to four seconds.
    let near = RecordingGap(reason: "step", start: Self.time(103.9), end: Self.time(150))
    #expect(throws: RecoveryRefusal.gap(.end, reason: "step")) { try recovery(Self.beats(), gaps: [near]) }
    let before = RecordingGap(reason: "link", start: Self.time(120), end: Self.time(153.6))
    #expect(throws: RecoveryRefusal.gap(.minuteLater, reason: "link")) { try recovery(Self.beats(), gaps: [before]) }
    let elsewhere = RecordingGap(reason: "link", start: Self.time(104), end: Self.time(153.5))
    #expect(throws: Never.self) { try recovery(Self.beats(), gaps: [elsewhere]) }
    // A rise of less than half a beat is none: ticks alone can make it.
    for (interval, refusal) in [(998, nil), (996, .rateRose)] as [(Int, RecoveryRefusal?)] {
      var builder = HeartbeatSeriesBuilder(timescale: 3_000)
      try builder.beginRun(AffineTimeMap(anchor: Self.begin))
      for index in 0..<510 { try builder.add(rrTicks: UInt32(index < 301 ? 1_000 : interval)) }
      let series = try builder.finish()
      do throws(RecoveryRefusal) {
        let fall = try recovery(series).fall
        #expect(fall == 0 && refusal == nil)
      } catch {
        #expect(error == refusal)
      }
    }
    // It ended a minute before: the rate rises to what it was.
    #expect(throws: RecoveryRefusal.rateRose) {
      var builder = HeartbeatSeriesBuilder()
      try builder.beginRun(AffineTimeMap(anchor: Self.begin))
      for index in 0..<300 { try builder.add(rrTicks: index < 100 ? 1_024 : 512) }
      _ = try recovery(builder.finish(), at: 80)
    }
  }

  @Test("each refusal has a word and a line, and an even rate is a recovery of nothing")
  func words() throws {
    let gap = RecoveryRefusal.gap(.end, reason: "link")
    #expect(gap.description == "beats are missing in the last 5 s of exercise (link)")
    let flagged = RecoveryRefusal.flagged(.minuteLater, .ectopic)
    #expect(flagged.description == "beats in the 5 s one minute later are doubtful (ectopic)")
    #expect(RecoveryRefusal.offSkin(.end).code == "offSkin" && RecoveryRefusal.rateRose.code == "rateRose")
    #expect(try recovery(Self.beats(), at: 20).fall < 1e-9)
  }
}
