import FoundationEssentials
import HealthModel
import Testing

/// Every public function with the edges of its arguments: a typed error or an answer, never a trap.
@Suite("Edges of the model")
struct EdgeTests {
  private static let integers: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
  private static let reals: [Double] = [
    .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, -0.0, 0,
    1,
  ]
  private static let moments = integers.map(Timestamp.init(microseconds:))
  private static let spans = moments.flatMap { start in moments.compactMap { TimeSpan(start: start, end: $0) } }
  private static let policies: [WeightingPolicy] =
    [.ownDuration]
    + integers.flatMap { [.holdLast(maximumGapMicroseconds: $0), .trapezoid(maximumGapMicroseconds: $0)] }
  private static let types: [QuantityType] = [
    .heartRate, .bodyMass, .stepCount, .environmentalAudioExposure, QuantityType(stored: "aura"),
  ]

  @Test("times")
  func times() {
    for moment in Self.moments {
      for number in Self.integers {
        _ = moment.advanced(byMicroseconds: number).iso8601(fractionDigits: Int(clamping: number))
        _ = Timestamp(milliseconds: number).flooredToMilliseconds.iso8601()
        _ = moment.microseconds(since: Timestamp(microseconds: number))
        _ = moment.duration(since: Timestamp(microseconds: number))
        for duration in [Duration.seconds(number), .microseconds(number), .nanoseconds(number)] {
          _ = moment.advanced(by: duration)
          _ = TimeSpan(start: moment, duration: duration)?.duration
        }
      }
    }
    #expect(Timestamp(microseconds: .min).iso8601() == "-290308-12-21T19:59:05.224Z")
    #expect(Timestamp(microseconds: .max).iso8601() == "+294247-01-10T04:00:54.775Z")
    #expect(Timestamp(microseconds: 0).advanced(by: .nanoseconds(-1)) == Timestamp(microseconds: -1))
    for text in ["", "9999-99-99", "0000-01-01", "9999-12-31T23:59:59.999999+23:59", "2020-02-30"] {
      _ = Timestamp(iso8601: text)
    }
  }

  @Test("days, intervals, buckets and zones")
  func calendar() throws {
    for year in Self.integers {
      for number in [Int.min, -1, 0, 1, 12, 13, 31, 32, .max] {
        _ = CalendarDay(year: year, month: number, day: 1)?.daysSince1970
        _ = CalendarDay(year: year, month: 2, day: number)
        _ = CalendarDay.days(inMonth: number, of: year)
        _ = CalendarInterval(number, .year)
      }
      let day = CalendarDay(daysSince1970: year)
      #expect((-1_000_000...1_000_000).contains(day.year))
    }
    #expect(CalendarDay(daysSince1970: .max) == CalendarDay(year: 1_000_000, month: 12, day: 31))
    #expect(CalendarDay(daysSince1970: .min) == CalendarDay(year: -1_000_000, month: 1, day: 1))
    for text in ["", "m", "99999999999999999999m", "0d", "1", "1x", "ä"] {
      #expect(throws: StatisticsError.self) { try CalendarInterval(parsing: text) }
    }
    let zones = [
      TimeZoneRules.utc, TimeZoneRules(name: "far", fixedOffset: .max), TimeZoneRules(name: "west", fixedOffset: .min),
      try TimeZoneRules(rule: "CET-1CEST,M3.5.0,M10.5.0/3"),
    ]
    for zone in zones {
      for moment in Self.moments {
        _ = zone.offset(at: moment)
        _ = zone.wallClock(at: moment)
        _ = zone.moment(ofWallClock: moment.microseconds)
        for unit in CalendarInterval.Unit.allCases {
          for count in [1, 100_000] {
            let interval = try #require(CalendarInterval(count, unit))
            for buckets in [
              CalendarBuckets(every: interval, from: moment, in: zone),
              CalendarBuckets(every: interval, containing: moment, in: zone),
            ] {
              for number in Self.integers {
                _ = buckets.start(of: number)
                let index = buckets.index(of: Timestamp(microseconds: number))
                #expect(index.magnitude < 1 << 40)
                _ = try? buckets.edges(from: moment, to: Timestamp(microseconds: number))
              }
            }
          }
        }
      }
    }
  }

  @Test("units, quantities and types")
  func units() throws {
    let units =
      ["count", "degF", "dBASPL", "dBHL", "mol<18>", "m^99", "pm", "%"].compactMap(Unit.init) + [Unit(opaque: "quux")]
    for value in Self.reals {
      for one in units {
        for other in units {
          _ = try? Quantity(value, one).value(in: other)
          _ = one.isCompatible(with: other)
        }
        _ = Quantity(value, one).description
      }
    }
    for text in ["", "^", "m^", "m^999", "mol<", "\u{0}", "(", "m/(", String(repeating: "m.", count: 10_000)] {
      #expect(Unit(text) == nil)
    }
    _ = QuantityTypeRegistry.standard[""]
    _ = QuantityTypeRegistry.standard.type(identifier: "", storedUnit: "", style: "", styleVersion: .min)
  }

  @Test("statistics of tracks of every length at the ends of time")
  func statistics() throws {
    let columns: [[Int64]] = [[], [.min], [.max], [.min, .max], [.max, .min], [0, 0, 0], [-1, 0, 1]]
    let values: [[Double]] = [[], [1], [.nan], [.infinity, -.infinity], Self.reals]
    for type in Self.types {
      for policy in Self.policies {
        for edges in [[Int64.min, .max], [0, 1], [.min, 0, .max]] {
          for starts in columns {
            for ends in columns {
              for value in values {
                var buckets = try StatisticsBuckets(edges: edges, type: type, policy: policy)
                let track = QuantityTrack(starts: starts, ends: ends, values: value)
                buckets.add([[track, track], [], [track]])
                let results = try buckets.results(.all(for: type), sources: [DataSource(source: "one")])
                for result in results {
                  for figure in [result.sum, result.average, result.minimum, result.maximum] {
                    #expect(figure?.isFinite ?? true)
                  }
                  _ = result.coverage.fraction
                }
              }
            }
          }
        }
      }
      for bits in UInt8.min ... .max {
        let options = StatisticsOptions(rawValue: bits)
        let isRefused = (try? options.validate(for: type)) == nil
        #expect(
          isRefused == !options.isDisjoint(
            with: StatisticsOptions([.average, .minimum, .maximum, .sum]).subtracting(.all(for: type))))
      }
      #expect(throws: StatisticsError.emptyRange) { try StatisticsBuckets(edges: [], type: type) }
      #expect(throws: StatisticsError.emptyRange) { try StatisticsBuckets(edges: [1, 1], type: type) }
    }
  }

  @Test("beats, runs and maps")
  func beats() throws {
    let maps = Self.integers.flatMap { anchor in
      [Int32.min, 0, .max].map {
        AffineTimeMap(
          anchor: Timestamp(microseconds: anchor), slopePartsPerBillion: $0, uncertaintyMicroseconds: anchor)
      }
    }
    for map in maps {
      for ticks in Self.integers {
        for timescale in [Int32.min, 0, 1, .max] { _ = map.time(atTicks: ticks, timescale: timescale) }
        var builder = HeartbeatSeriesBuilder(timescale: 1)
        try? builder.beginRun(map, firstTick: ticks)
        for interval in [UInt32.min, .max] {
          try? builder.add(rrTicks: interval)
          try? builder.add(rrTicks: interval, at: Timestamp(microseconds: ticks))
        }
        try? builder.add(atTicks: ticks, since: map.anchor)
        guard let series = try? builder.finish() else { continue }
        _ = NNIntervals(series).duration
        _ = series.bounds
        for range in [0..<0, 0..<Int.max, Int.max..<Int.max, Int.min..<Int.max, -5 ..< -1] {
          _ = series.span(of: HeartbeatSeries.Run(beats: range, firstTick: ticks, map: map))
          _ = try? HeartbeatSeries(
            timescale: 1, runs: [.init(beats: range, firstTick: ticks, map: map)], beats: series.beats,
            start: Timestamp(microseconds: ticks))
        }
      }
    }
    _ = HeartbeatSeries(timescale: .min).gapCount
    var builder = HeartbeatSeriesBuilder(timescale: .min)
    builder.reserveCapacity(0)
    #expect(builder.timescale == 1)
  }

  @Test("a series with a start begins there, one of recorded runs with its first beat")
  func seriesStart() throws {
    let start = Timestamp(microseconds: 1_000_000)
    var told = HeartbeatSeriesBuilder(timescale: 1000)
    try told.add(atTicks: 500, since: start)
    let series = try told.finish()
    #expect(series.start == start && series.bounds?.start == start.advanced(byMicroseconds: 500_000))
    var recorded = HeartbeatSeriesBuilder(timescale: 1000)
    try recorded.beginRun(AffineTimeMap(anchor: start), firstTick: 500)
    try recorded.add(rrTicks: 900)
    #expect(try recorded.finish().start == start.advanced(byMicroseconds: 500_000))
    #expect(HeartbeatSeries().start == nil)
    #expect(throws: SeriesError.startsBeforeSeries) {
      try HeartbeatSeries(
        timescale: 1000, runs: series.runs, beats: series.beats, start: start.advanced(byMicroseconds: 500_001))
    }
  }

  @Test("variability of intervals and windows of every size")
  func variability() throws {
    for value in Self.reals {
      for count in [0, 1, 2, 40] {
        guard let intervals = try? NNIntervals(stretches: [Array(repeating: value, count: count), []]) else { continue }
        for span in Self.spans {
          for window in [Int64.min, 0, Int64.max] {
            for report in try VariabilityReport.reports(intervals, in: span, windowMicroseconds: window).prefix(2) {
              for measure in VariabilityMeasure.allCases {
                if let figure = try? report.figure(measure) { #expect(figure.value.isFinite) }
              }
              _ = report.rhythm.isDoubtful
              _ = report.exclusions
            }
          }
        }
      }
    }
    let whole = try #require(TimeSpan(start: Timestamp(microseconds: .min), end: Timestamp(microseconds: .max)))
    #expect(throws: VariabilityRefusal.tooManyWindows(limit: 700_000)) {
      try VariabilityReport.reports(NNIntervals(stretches: []), in: whole, windowMicroseconds: 1)
    }
  }

  @Test("figures of variability with every tolerance, divisor, beginning and part")
  func figures() throws {
    let stretches: [[[Double]]] = [
      [], [[]], [[0]], [[0, 0, 0]], [[0.8, 0.9], [0.8]], [[.greatestFiniteMagnitude, .leastNonzeroMagnitude]],
      [Array(repeating: 0.8, count: 400)],
    ]
    for stretch in stretches {
      guard let all = try? NNIntervals(stretches: stretch) else { continue }
      for from in Self.reals {
        let part = from.isNaN ? all : all.ending(in: min(from, 0)..<max(from, 0))
        let variability = HeartRateVariability(part, from: from)
        for divisor in [HeartRateVariability.Divisor.population, .sample] {
          _ = try? variability.sdnn(divisor)
          _ = try? variability.sdsd(divisor)
          _ = try? variability.sd1(divisor)
          _ = try? variability.sd2(divisor)
          _ = try? variability.sdann(divisor)
          _ = try? variability.sdnnIndex(divisor)
        }
        for tolerance in Self.reals {
          _ = try? variability.nn50(tolerance: tolerance)
          _ = try? variability.pnn50(tolerance: tolerance)
        }
        for band in FrequencyBand.allCases { _ = try? variability.power(in: band) }
        _ = try? variability.lowToHighRatio()
        _ = try? variability.meanNN()
        _ = try? variability.meanRate()
        _ = try? variability.rmssd()
        _ = RhythmIndication(variability).isDoubtful
      }
    }
  }

  @Test("dates, reports of sessions, and types that nobody registered")
  func others() throws {
    for real in Self.reals {
      let date = Date(timeIntervalSince1970: real)
      _ = Timestamp(date).date
      if real >= 0 { _ = TimeSpan(DateInterval(start: Date(timeIntervalSince1970: 0), duration: real)).dateInterval }
      let report = QualityReport(["algorithmVersion": .real(real), "leftOutIntervals": .real(real)])
      #expect(report.algorithmVersion == nil && report.leftOutIntervals == nil && report.others.count == 2)
    }
    for span in Self.spans { #expect(span.dateInterval.duration >= 0) }
    for text in ["", "\u{0}", String(repeating: "a", count: 10_000)] {
      #expect(throws: StatisticsError.self) { try QuantityTypeRegistry.standard.type(named: text) }
      #expect(QuantityType(identifier: text) == nil)
      #expect(throws: TimeZoneError.self) { try TimeZoneRules(rule: text) }
      #expect(throws: TimeZoneError.self) { try TimeZoneRules(name: text, parsing: Array(text.utf8)) }
    }
  }
}
