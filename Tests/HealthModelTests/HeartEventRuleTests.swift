import Foundation
import HealthModel
import TestSupport
import Testing

@Suite("Events of low and high heart rates")
struct HeartEventRuleTests {
  private static let begin: Int64 = 1_795_000_000_000

  private static func time(_ second: Double) -> Timestamp {
    Timestamp(milliseconds: begin + Int64((second * 1000).rounded()))
  }

  private static func span(_ start: Double, _ end: Double) throws -> TimeSpan {
    try #require(TimeSpan(start: time(start), end: time(end)))
  }

  /// A rate a second from `first` to before `end`.
  private static func rates(
    _ beatsPerMinute: UInt16, _ seconds: Range<Int>, contact: SensorContact = .detected
  ) -> [HeartRateValue] {
    seconds.map { HeartRateValue(time: time(Double($0)), beatsPerMinute: beatsPerMinute, contact: contact) }
  }

  private func events(
    _ rates: [HeartRateValue], high: Double? = 120, low: Double? = 40, excluding: [TimeSpan] = []
  ) -> [HeartEvent] {
    HeartEventRules(low: low, high: high)
      .events(rates: rates, heartbeats: HeartbeatSeries(), excluding: excluding)
  }

  @Test("a rate above 120 for ten minutes is an event from its first value to the one that makes it ten")
  func high() throws {
    let rates = Self.rates(80, 0..<60) + Self.rates(121, 60..<1_300) + Self.rates(80, 1_300..<1_400)
    let event = HeartEvent(
      .high, over: try Self.span(60, 660), threshold: 120, rule: HeartRateEventDetector.Side.high.rule)
    #expect(events(rates) == [event])
    #expect(event.metadata[HeartEvent.thresholdKey] == .quantity(Quantity(120, .countPerMinute)))
    #expect(event.metadata[HeartEvent.ruleKey] == "highHeartRate")
    #expect(event.metadata[HeartEvent.ruleVersionKey] == 1)
  }

  @Test("times count to the millisecond, as they are stored, and events come in order of time")
  func order() throws {
    // A tenth of a millisecond less than ten minutes, but ten minutes to the millisecond.
    let microseconds = (0..<600).map { Int64($0) * 1_000_000 + 500 } + [600_000_400]
    let rates = microseconds.map { passed in
      HeartRateValue(time: Timestamp(microseconds: Self.begin * 1000 + passed), beatsPerMinute: 130)
    }
    #expect(events(rates).map(\.span) == [try Self.span(0, 600)])
    var random = SeededGenerator(seed: 7)
    var builder = HeartbeatSeriesBuilder(timescale: 1024)
    try builder.beginRun(AffineTimeMap(anchor: Self.time(0)))
    for _ in 0..<3_500 { try builder.add(rrTicks: UInt32.random(in: 410...1_228, using: &random)) }
    let fast = Self.rates(130, 2_900..<3_600)
    let found = HeartEventRules(low: nil, high: 120, irregular: true).events(
      rates: fast, heartbeats: try builder.finish())
    #expect(found.map(\.kind) == [.irregular, .high])
  }

  @Test("so is one below 40, and each stretch is an event of its own")
  func low() throws {
    let rates = Self.rates(39, 0..<700) + Self.rates(40, 700..<701) + Self.rates(39, 701..<1_302)
    let found = events(rates)
    #expect(found.map(\.span) == [try Self.span(0, 600), try Self.span(701, 1_301)])
    #expect(
      found.allSatisfy { $0.kind == .low && $0.threshold == 40 && $0.rule == HeartRateEventDetector.Side.low.rule })
  }

  @Test("a rate at the threshold is not beyond it, and a second less than ten minutes is too short")
  func limits() {
    #expect(events(Self.rates(120, 0..<2_000)).isEmpty)
    #expect(events(Self.rates(40, 0..<2_000)).isEmpty)
    #expect(events(Self.rates(121, 0..<600)).isEmpty)
    #expect(events(Self.rates(121, 0..<601)).count == 1)
  }

  @Test("one value that is not beyond the threshold ends the stretch", arguments: [1, 300, 599])
  func dip(second: Int) throws {
    let rates = Self.rates(130, 0..<second) + Self.rates(120, second..<second + 1) + Self.rates(130, second + 1..<1_200)
    let start = Double(second + 1)
    #expect(events(rates).map(\.span) == (start + 600 < 1_200 ? [try Self.span(start, start + 600)] : []))
  }

  @Test("values that are 30 s apart are of one stretch, a millisecond more parts it")
  func gaps() throws {
    func rates(_ gap: Double) -> [HeartRateValue] {
      Self.rates(130, 0..<300)
        + (0..<400).map { HeartRateValue(time: Self.time(299 + gap + Double($0)), beatsPerMinute: 130) }
    }
    #expect(events(rates(30)).map(\.span) == [try Self.span(0, 600)])
    #expect(events(rates(30.001)).isEmpty)
    // From off the skin comes no rate, so what comes from there is a gap, too.
    let off = Self.rates(130, 0..<300) + Self.rates(130, 300..<330, contact: .notDetected) + Self.rates(130, 330..<700)
    #expect(events(off).isEmpty)
    let short = Self.rates(130, 0..<300) + Self.rates(60, 300..<329, contact: .notDetected) + Self.rates(130, 329..<700)
    #expect(events(short).map(\.span) == [try Self.span(0, 600)])
  }

  @Test("what is excluded is in no event, and parts a stretch even where no value is in it")
  func excluded() throws {
    let rates = Self.rates(130, 0..<3_000)
    #expect(events(rates, excluding: [try Self.span(0, 3_000)]).isEmpty)
    #expect(events(rates, excluding: [try Self.span(100, 2_000)]).map(\.span) == [try Self.span(2_001, 2_601)])
    #expect(
      events(rates, excluding: [try Self.span(2_000, 2_500), try Self.span(300.2, 300.4)]).map(\.span)
        == [try Self.span(301, 901), try Self.span(2_501, 3_101)].filter { $0.end < Self.time(3_000) })
    // A rate at the start of a span is in it.
    #expect(events(rates, excluding: [try Self.span(600, 2_500)]).isEmpty)
    // Spans that overlap, the shorter inside the longer.
    let spans = [try Self.span(0, 1_000), try Self.span(10, 20), try Self.span(900, 1_500)]
    #expect(events(rates, excluding: spans).map(\.span) == [try Self.span(1_501, 2_101)])
  }

  @Test("a clock that was set back begins anew")
  func backwards() {
    let rates = Self.rates(130, 500..<900) + Self.rates(130, 100..<600)
    var detector = HeartRateEventDetector(.high)
    let found = rates.compactMap { detector.add(Double($0.beatsPerMinute), at: $0.time) }
    #expect(found.isEmpty)
  }

  @Test("by default only low rates are looked for; with nothing to look for nothing is found")
  func defaults() {
    let rates = Self.rates(130, 0..<700) + Self.rates(35, 700..<1_400)
    let rules = HeartEventRules()
    #expect(rules.kinds == [.low])
    #expect(rules.events(rates: rates, heartbeats: HeartbeatSeries()).map(\.kind) == [.low])
    let none = HeartEventRules(low: nil)
    #expect(none.kinds.isEmpty && none.events(rates: rates, heartbeats: HeartbeatSeries()).isEmpty)
    #expect(HeartEventRules(low: 30).events(rates: rates, heartbeats: HeartbeatSeries()).isEmpty)
    #expect(events(rates, high: 131).map(\.kind) == [.low])
  }

  @Test("the same event of a session has the same identity, another start, rule or session another")
  func identity() throws {
    let session = UUID(uuidString: "00000000-0000-4000-8000-00000000000A")!
    let event = HeartEvent(.low, over: try Self.span(0, 600), threshold: 40, rule: HeartRateEventDetector.Side.low.rule)
    #expect(
      event.syncIdentity(in: session)
        == SyncIdentity(
          identifier: "lowHeartRate.1.00000000-0000-4000-8000-00000000000a.\(Self.time(0).microseconds)", version: 1))
    var next = event
    next.rule.version = 2
    #expect(next.syncIdentity(in: session).identifier.hasPrefix("lowHeartRate.2."))
    let draft = event.draft(in: session)
    #expect(draft.type == .category(.lowHeartRateEvent) && draft.span == event.span)
    #expect(HeartEvent(draft.type, over: draft.span, metadata: draft.metadata) == event)
    #expect(HeartEvent(.category(.sleepAnalysis), over: draft.span, metadata: [:]) == nil)
    #expect(HeartEvent.Kind.allCases.allSatisfy { HeartEvent.Kind(.category($0.type)) == $0 })
  }

  /// The rule as a definition, not as a machine: the first value of a stretch without a dip, a gap or anything excluded.
  private func plain(_ rates: [HeartRateValue], _ excluded: [TimeSpan]) -> [TimeSpan] {
    var stretches: [[Timestamp]] = []
    var previous: Timestamp?
    for rate in rates where rate.contact != .notDetected {
      let isExcluded = excluded.contains { $0.start <= rate.time && rate.time <= $0.end }
      if rate.beatsPerMinute <= 120 || isExcluded {
        previous = nil
        continue
      }
      let isNext =
        previous.map { previous in
          rate.time.microseconds(since: previous) <= 30_000_000
            && !excluded.contains { $0.start <= rate.time && $0.end > previous }
        } ?? false
      if isNext { stretches[stretches.endIndex - 1].append(rate.time) } else { stretches.append([rate.time]) }
      previous = rate.time
    }
    return stretches.compactMap { times in
      times.first { $0.microseconds(since: times[0]) >= 600_000_000 }.flatMap { TimeSpan(start: times[0], end: $0) }
    }
  }

  @Test(
    "random days with workouts, gaps and dips have the events of the plain rule",
    arguments: 1...20 as ClosedRange<UInt64>)
  func days(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var rates: [HeartRateValue] = []
    var excluded: [TimeSpan] = []
    var time = 0.0
    while time < 86_400 {
      let isFast = Bool.random(using: &random)
      let end = time + [5, 590, 600, 601, 605, 1_200, 3_000].randomElement(using: &random)!
      while time < end {
        // Most are far from the threshold, some at it.
        let isDip = Int.random(in: 0..<2_000, using: &random) == 0
        let rate: UInt16 = isFast && !isDip ? [121, 121, 130, 160].randomElement(using: &random)! : 120
        let contact: SensorContact = Int.random(in: 0..<500, using: &random) == 0 ? .notDetected : .detected
        rates.append(HeartRateValue(time: Self.time(time), beatsPerMinute: rate, contact: contact))
        let isGap = Int.random(in: 0..<400, using: &random) == 0
        time += isGap ? [29.999, 30, 30.001, 400].randomElement(using: &random)! : 1
      }
      if Int.random(in: 0..<6, using: &random) == 0 {
        let length = [0, 0.5, 600, 3_000].randomElement(using: &random)!
        let start = time - Double.random(in: 0...2_000, using: &random)
        if let span = TimeSpan(start: Self.time(start), end: Self.time(start + length)) { excluded.append(span) }
      }
    }
    let found = events(rates, low: nil, excluding: excluded).map(\.span)
    #expect(found == plain(rates, excluded), "seed \(seed)")
    #expect(!found.isEmpty)
  }
}
