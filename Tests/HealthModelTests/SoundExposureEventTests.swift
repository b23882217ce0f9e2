import HealthModel
import TestSupport
import Testing

@Suite("Sound exposure events")
struct SoundExposureEventTests {
  /// Hours after the first week's start.
  private static func exposure(_ decibels: Double, _ from: Double, _ to: Double) -> SoundDose.Exposure {
    SoundDose.Exposure(decibels, over: TimeSpan(start: time(from), end: time(to)) ?? TimeSpan(at: time(from)))
  }

  private static func time(_ hours: Double) -> Timestamp {
    Timestamp(microseconds: 1_790_000_000_000_000 + Int64(hours * 3_600_000_000))
  }

  private static let week = 168.0

  @Test("the event ends when the dose passes 1, to the microsecond, and says how loud it was and how long")
  func one() throws {
    // Three quarters of the dose in 30 h, and the last quarter in the first 5 of 8 hours at 83.
    let events = SoundExposureEvent.events(of: [Self.exposure(83, 100, 108), Self.exposure(80, 0, 30)])
    let event = try #require(events.first)
    #expect(events.count == 1)
    #expect(event.span.end.microseconds(since: Self.time(105)) == 1)
    #expect(event.span.start == Self.time(105 - Self.week).advanced(byMicroseconds: 1))
    #expect(event.microseconds == 35 * 3_600_000_000 + 1)
    // 10 · log10((30 · 10^8 + 5 · 10^8.3) / 35)
    #expect(abs(event.decibels - 80.577_347) < 1e-5, "\(event.decibels)")
  }

  @Test("all that is safe, and no more, is no event", arguments: [80.0, 83, 86, 101])
  func safe(decibels: Double) {
    let hours = 40 / [80.0: 1.0, 83: 2, 86: 4, 101: 128][decibels, default: 1]
    #expect(SoundExposureEvent.events(of: [Self.exposure(decibels, 0, hours)]).isEmpty)
    #expect(SoundExposureEvent.events(of: [Self.exposure(decibels, 0, hours + 0.001)]).count == 1)
    #expect(SoundExposureEvent.events(of: []).isEmpty)
  }

  @Test("who listens too much for long has an event in seven days, each with a sound of its own")
  func weeks() {
    // 8 hours a day: 40 h are over on the fifth day, and every seven days after that.
    let days = (0..<28).map { Self.exposure(80, Double($0) * 24 + 10, Double($0) * 24 + 18) }
    let ends = SoundExposureEvent.events(of: days).map { $0.span.end.microseconds(since: Self.time(0)) }
    let first = Int64((4 * 24 + 18) * 3_600_000_000)
    #expect(ends.first.map { $0 - first } == Int64(16 * 3_600_000_000) + 1, "the sixth day begins at ten")
    #expect(zip(ends, ends.dropFirst()).allSatisfy { $1 - $0 == SoundDose.window })
    #expect(ends.count == 4, "\(ends)")
  }

  @Test("50 random months: no dose of more than 1 outside of an event and the week after it, and no event without one")
  func random() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<50 {
      let exposures = (0..<Int.random(in: 1...25, using: &random)).map { _ in
        let from = Double.random(in: 0...700, using: &random)
        let level = Double.random(in: 60...92, using: &random)
        return Self.exposure(level, from, from + Double.random(in: 0...15, using: &random))
      }
      let events = SoundExposureEvent.events(of: exposures.shuffled(using: &random))
      var free = Self.time(-1_000)
      for event in events {
        #expect(event.span.start.advanced(byMicroseconds: SoundDose.window) == event.span.end)
        #expect(event.span.end >= free)
        #expect(SoundDose.week(of: exposures, before: event.span.end) > 1 - 1e-9)
        Self.expectSafe(exposures, from: free, to: event.span.end)
        free = event.span.end.advanced(byMicroseconds: SoundDose.window)
      }
      Self.expectSafe(exposures, from: free, to: Self.time(1_000))
    }
  }

  /// Looks every six hours, and where a level begins or ends: there are the greatest doses.
  private static func expectSafe(_ exposures: [SoundDose.Exposure], from: Timestamp, to end: Timestamp) {
    let edges = exposures.flatMap { [$0.span.start, $0.span.end] }
    let times =
      edges + edges.map { $0.advanced(byMicroseconds: SoundDose.window) } + (0..<150).map { time(Double($0) * 6) }
    for moment in times where moment >= from && moment < end {
      #expect(SoundDose.week(of: exposures, before: moment) <= 1 + 1e-6)
    }
  }

  @Test("senseless levels and times at the edges of time do no harm")
  func senseless() {
    let levels = [Double.nan, .infinity, -.infinity, 1e308, -1e308, 0].map { Self.exposure($0, 0, 1) }
    let end = SoundDose.Exposure(
      90,
      over: TimeSpan(start: Timestamp(microseconds: .max - 5), end: Timestamp(microseconds: .max))
        ?? TimeSpan(at: Self.time(0)))
    let start = SoundDose.Exposure(
      90,
      over: TimeSpan(start: Timestamp(microseconds: .min), end: Timestamp(microseconds: .min + 5))
        ?? TimeSpan(at: Self.time(0)))
    // An hour of what is far too loud for its first part and for the rest.
    #expect(SoundExposureEvent.events(of: levels + [end, start]).count == 2)
  }

  @Test("a stored event has the talk's type and value, HealthKit's keys, and one identity")
  func draft() throws {
    let event = try #require(SoundExposureEvent.events(of: [Self.exposure(89, 0, 10)]).first)
    let draft = event.draft
    #expect(draft.type == .category(.headphoneAudioExposureEvent))
    #expect(draft.content == .category(.headphoneAudioExposureEvent, .sevenDayLimit))
    #expect(
      draft.metadata["audioExposureLevel"] == .quantity(Quantity(event.decibels, .decibelAWeightedSoundPressureLevel)))
    #expect(draft.metadata["audioExposureDuration"] == .quantity(Quantity(18_000.000_001, .second)))
    #expect(draft.sync == SyncIdentity(identifier: "headphone-seven-days.1.\(event.span.end.microseconds)", version: 1))
  }
}
