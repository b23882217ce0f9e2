import FoundationEssentials
import TestSupport
import Testing

@testable import HealthModel

@Suite("Sleep")
struct SleepTests {
  private static let watch = DataSource(source: "org.example.Watch", device: "W1")
  private static let phone = DataSource(source: "org.example.Phone")
  /// 2026-11-20T22:00:00Z.
  private static let evening: Int64 = 1_795_212_000_000_000

  /// An interval between two minutes since 22:00.
  private static func interval(
    _ value: CategoryValue, _ start: Int64, _ end: Int64, by source: DataSource = watch
  ) throws -> SleepInterval {
    let span = try #require(TimeSpan(start: time(start), end: time(end)))
    return SleepInterval(value, over: span, source: source)
  }

  private static func time(_ minute: Int64) -> Timestamp {
    Timestamp(microseconds: evening + minute * 60_000_000)
  }

  /// What counts when, in minutes since 22:00.
  private static func parts(_ period: SleepPeriod) -> [String] {
    period.stretches.map { stretch in
      let (start, end) = (stretch.span.start.microseconds - evening, stretch.span.end.microseconds - evening)
      return "\(stretch.value.rawValue): \(start / 60_000_000)-\(end / 60_000_000)"
    }
  }

  private static func minutes(_ count: Int64) -> Duration { .seconds(count * 60) }

  /// A night of one watch: in bed from 0 to 480, asleep from 20 to 460, awake for 10 from 200.
  private static func night() throws -> [SleepInterval] {
    [
      try interval(.inBed, 0, 480), try interval(.asleepCore, 20, 100), try interval(.asleepDeep, 100, 160),
      try interval(.asleepREM, 160, 200), try interval(.awake, 200, 210), try interval(.asleepCore, 210, 400),
      try interval(.asleepREM, 400, 460),
    ]
  }

  @Test("a night's figures are those of its stages, in bed or not, in whatever order they came")
  func figures() throws {
    let intervals = try Self.night()
    for order in [intervals, intervals.reversed(), intervals.shuffled()] {
      let periods = SleepPeriod.periods(of: order)
      #expect(periods.count == 1)
      let night = try #require(periods.first)
      #expect(night.timeInBed == Self.minutes(480))
      #expect(night.timeAsleep == Self.minutes(430))
      #expect(night.duration(of: [.asleepCore]) == Self.minutes(270))
      #expect(night.duration(of: [.asleepDeep]) == Self.minutes(60))
      #expect(night.duration(of: [.asleepREM]) == Self.minutes(100))
      #expect(night.duration(of: [.awake]) == Self.minutes(10))
      #expect(night.latency == Self.minutes(20))
      #expect(night.wakeAfterOnset == Self.minutes(10))
      #expect(night.awakenings == 1)
      #expect(night.efficiency == 430.0 / 480)
      #expect(night.sources == [Self.watch])
    }
  }

  @Test("where sources overlap one counts at each moment: who tells stages, then who tells more sleep")
  func sources() throws {
    let phone = [
      try Self.interval(.inBed, -30, 500, by: Self.phone),
      try Self.interval(.asleepUnspecified, 0, 490, by: Self.phone),
    ]
    let watch = [try Self.interval(.asleepDeep, 100, 160), try Self.interval(.awake, 160, 170)]
    let merged = try #require(SleepPeriod.periods(of: phone + watch).first)
    #expect(Self.parts(merged) == ["0: -30-0", "1: 0-100", "4: 100-160", "2: 160-170", "1: 170-490", "0: 490-500"])
    #expect(merged.timeInBed == Self.minutes(530))
    #expect(merged.sources == [Self.phone, Self.watch])
    let named = try #require(SleepPeriod.periods(of: phone + watch, priority: [Self.phone]).first)
    #expect(Self.parts(named) == ["0: -30-0", "1: 0-490", "0: 490-500"], "a source that is named comes first")
    #expect(named.awakenings == 0)
  }

  @Test(
    "what one source says twice of a moment is resolved: stages before sleep, sleep before in bed, later before earlier"
  )
  func withinOneSource() throws {
    let intervals = [
      try Self.interval(.asleepUnspecified, 0, 400), try Self.interval(.inBed, 0, 420),
      try Self.interval(.asleepDeep, 50, 100), try Self.interval(.asleepREM, 90, 120),
      try Self.interval(.awake, 200, 205),
    ]
    let period = try #require(SleepPeriod.periods(of: intervals).first)
    #expect(
      Self.parts(period) == [
        "1: 0-50", "4: 50-90", "5: 90-120", "1: 120-200", "2: 200-205", "1: 205-400", "0: 400-420",
      ])
    #expect(period.latency == nil, "nobody knows how long it took to fall asleep")
    #expect(period.awakenings == 1)
  }

  @Test("a time that nobody tells of is neither sleep nor waking")
  func untold() throws {
    let intervals = [try Self.interval(.asleepCore, 0, 100), try Self.interval(.asleepREM, 130, 200)]
    let period = try #require(SleepPeriod.periods(of: intervals).first)
    #expect(period.span.microseconds == 200 * 60_000_000)
    #expect(period.timeInBed == Self.minutes(170) && period.efficiency == nil)
    #expect(period.awakenings == 0 && period.wakeAfterOnset == .zero)
  }

  @Test("what is more than an hour apart are two periods; intervals of any sources hold one together")
  func separation() throws {
    let pair = [try Self.interval(.asleepCore, 0, 100), try Self.interval(.asleepCore, 160, 200)]
    #expect(SleepPeriod.periods(of: pair).count == 1, "an hour")
    let further = [pair[0], try Self.interval(.asleepCore, 161, 200)]
    #expect(SleepPeriod.periods(of: further).count == 2)
    let held = further + [try Self.interval(.inBed, -10, 130, by: Self.phone)]
    #expect(SleepPeriod.periods(of: held).count == 1)
  }

  @Test("unknown values, other samples and intervals without a length are left out")
  func leftOut() throws {
    let unknown = CategoryValue(rawValue: 6)
    #expect(SleepPeriod.periods(of: [try Self.interval(unknown, 0, 100), try Self.interval(.asleepREM, 5, 5)]).isEmpty)
    #expect(SleepPeriod.periods(of: []).isEmpty)
    var sample = HealthSample(
      id: UUID(), type: .category(.sleepAnalysis), source: SourceRevision(identifier: "s", name: "S"),
      start: Self.time(0), end: Self.time(1), count: 1, value: 5, change: 1)
    #expect(SleepInterval(sample)?.value == .asleepREM)
    sample.type = .category(.lowHeartRateEvent)
    #expect(SleepInterval(sample) == nil)
  }

  @Test("nobody asleep is a time in bed without latency, onset and awakenings")
  func inBedOnly() throws {
    let period = try #require(SleepPeriod.periods(of: [try Self.interval(.inBed, 0, 60)]).first)
    #expect(period.timeInBed == Self.minutes(60) && period.timeAsleep == .zero && period.efficiency == 0)
    #expect(period.latency == nil && period.awakenings == 0 && period.wakeAfterOnset == .zero)
  }

  @Test("a night and its naps are of the day to which it leads, up to 18:00 by the clocks there")
  func nights() throws {
    let zone = TimeZoneRules(name: "UTC+1", fixedOffset: 3_600)
    let nap = try Self.interval(.asleepUnspecified, 15 * 60, 15 * 60 + 30)  // 14:00 to 14:30
    let early = try Self.interval(.asleepUnspecified, 18 * 60 + 30, 18 * 60 + 59)  // ends at 17:59
    let late = try Self.interval(.asleepUnspecified, 20 * 60 + 30, 22 * 60)
    let nights = SleepNight.nights(of: try Self.night() + [late, nap, early], in: zone)
    #expect(
      nights.map(\.day) == [CalendarDay(year: 2026, month: 11, day: 21), CalendarDay(year: 2026, month: 11, day: 22)])
    #expect(nights[0].periods.count == 3)
    #expect(nights[0].main?.timeAsleep == Self.minutes(430))
    #expect(nights[0].timeAsleep == Self.minutes(430 + 30 + 29))
  }

  @Test(
    "a night has its hours also where the clocks change in it, and is of the same day",
    arguments: [
      // Spring: 2026-03-29 has 23 hours; autumn: 2026-10-25 has 25.
      (CalendarDay(year: 2026, month: 3, day: 29), Int64(7)), (CalendarDay(year: 2026, month: 10, day: 25), Int64(9)),
    ])
  func summerTime(day: CalendarDay?, hours: Int64) throws {
    let zone = try TimeZoneRules(rule: "CET-1CEST,M3.5.0,M10.5.0/3")
    let day = try #require(day)
    let midnight = day.daysSince1970 * 86_400_000_000
    let span = try #require(
      TimeSpan(
        start: zone.moment(ofWallClock: midnight - 3_600_000_000),
        end: zone.moment(ofWallClock: midnight + 7 * 3_600_000_000)))
    let nights = SleepNight.nights(of: [SleepInterval(.asleepCore, over: span, source: Self.watch)], in: zone)
    #expect(nights.map(\.day) == [day])
    #expect(nights.first?.timeAsleep == .seconds(hours * 3_600))
  }

  @Test("200 random nights of several sources equal a plain minute by minute computation")
  func random() throws {
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var intervals: [SleepInterval] = []
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        let start = Int64.random(in: 0...600, using: &random)
        let source = DataSource(source: ["a", "b", "c"][Int.random(in: 0...2, using: &random)])
        intervals.append(
          try Self.interval(
            CategoryValue(rawValue: Int64.random(in: 0...6, using: &random)), start,
            start + Int64.random(in: 0...120, using: &random), by: source))
      }
      let priority = Bool.random(using: &random) ? [] : [DataSource(source: "c")]
      let found = SleepPeriod.periods(of: intervals, priority: priority)
      #expect(found.flatMap { Self.byMinute($0) } == Self.plain(intervals, priority), "seed \(seed)")
    }
  }

  /// Of each minute that counts: its number, value and source.
  private static func byMinute(_ period: SleepPeriod) -> [[String]] {
    period.stretches.flatMap { stretch in
      let (start, end) = (stretch.span.start.microseconds - evening, stretch.span.end.microseconds - evening)
      return (start / 60_000_000..<end / 60_000_000).map {
        ["\($0)", "\(stretch.value.rawValue)", stretch.source.source]
      }
    }
  }

  /// The same by looking at every minute by itself.
  private static func plain(_ intervals: [SleepInterval], _ priority: [DataSource]) -> [[String]] {
    func minutes(_ interval: SleepInterval) -> Range<Int64> {
      (interval.span.start.microseconds - evening) / 60_000_000..<(interval.span.end.microseconds - evening)
        / 60_000_000
    }
    let known = intervals.filter { (0...5).contains($0.value.rawValue) && !minutes($0).isEmpty }
    // Minute by minute, so that periods are found without sorting.
    var periods: [[Int64]] = []
    let told = (0..<800 as Range<Int64>).filter { minute in known.contains { minutes($0).contains(minute) } }
    for minute in told {
      if let last = periods.last?.last, minute - last - 1 <= 60 {
        periods[periods.count - 1].append(minute)
      } else {
        periods.append([minute])
      }
    }
    return periods.flatMap { period -> [[String]] in
      let inside = known.filter { period.contains(minutes($0).lowerBound) }
      func total(_ source: DataSource, _ values: Set<Int64>) -> Int {
        inside.filter { $0.source == source && values.contains($0.value.rawValue) }.map { minutes($0).count }.reduce(
          0, +)
      }
      let ranked = Set(inside.map(\.source)).sorted { one, other in
        let isNamed = (priority.contains(one), priority.contains(other))
        if isNamed.0 != isNamed.1 { return isNamed.0 }
        let stages = (total(one, [3, 4, 5]), total(other, [3, 4, 5]))
        if stages.0 != stages.1 { return stages.0 > stages.1 }
        let asleep = (total(one, [1, 3, 4, 5]), total(other, [1, 3, 4, 5]))
        return asleep.0 != asleep.1 ? asleep.0 > asleep.1 : one.source < other.source
      }
      return period.map { minute in
        let here = inside.filter { minutes($0).contains(minute) }
        func best(_ values: ClosedRange<Int64>, _ source: DataSource) -> SleepInterval? {
          let candidates = here.filter { $0.source == source && values.contains($0.value.rawValue) }
          let latest = candidates.map(\.span.start).max()
          return candidates.filter { $0.span.start == latest }.min { $0.value.rawValue < $1.value.rawValue }
        }
        let chosen =
          ranked.lazy.compactMap { best(2...5, $0) ?? best(1...1, $0) }.first
          ?? ranked.lazy.compactMap { best(0...0, $0) }.first
        return ["\(minute)", "\(chosen?.value.rawValue ?? -1)", chosen?.source.source ?? ""]
      }
    }
  }
}
