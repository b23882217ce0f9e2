import FoundationEssentials
import HealthModel
import Testing

@Suite("Values as text")
struct CodingTests {
  private static let noon = Timestamp(microseconds: 1_795_350_600_000_001)

  private func roundTrip<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value
  }

  private func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode([value]), as: UTF8.self)
  }

  @Test("every value is decoded as it was encoded")
  func roundTrips() throws {
    let noon = Self.noon
    let span = try #require(TimeSpan(start: noon, end: noon.advanced(byMicroseconds: 5)))
    var builder = HeartbeatSeriesBuilder(timescale: 1000)
    for ticks in [500, 1490, 2490] as [Int64] {
      try builder.add(atTicks: ticks, since: noon, precededByGap: ticks == 2490, flags: [.missed])
    }
    let beats = try builder.finish()
    let device = Device(name: "Strap", localIdentifier: "aa")
    let source = SourceRevision(identifier: "test", name: "Test", version: "1")
    let metadata: Metadata = [
      "a": "text", "b": 1, "c": 1.5, "d": true, "e": .time(noon), "f": .quantity(Quantity(1, .meter)),
    ]
    let session = RecordedSession(
      id: UUID(), syncVersion: 3, device: device, source: source, start: noon, end: span.end, endReason: "request",
      metadata: metadata, rates: [HeartRateValue(time: noon, beatsPerMinute: 61, contact: .detected)],
      heartbeats: beats, gaps: [RecordingGap(reason: "link", start: noon, end: span.end)],
      coverage: Coverage(floor: 0.5, ceiling: 1))
    #expect(try roundTrip(session))
    #expect(try roundTrip(beats) && roundTrip(span) && roundTrip(metadata))
    for type in QuantityType.all + [QuantityType(stored: "aura"), QuantityType(stored: "m", unit: .meter)] {
      #expect(try roundTrip(type))
    }
    #expect(try roundTrip(QuantityType("org.example.mood", unit: .percent, style: .cumulative, styleVersion: 2)))
    for number in [Int64.min, 0, .max] { #expect(try roundTrip(Timestamp(microseconds: number))) }
    for year in [-1_000_000, -1, 0, 476, 2026, 1_000_000] as [Int64] {
      #expect(try roundTrip(#require(CalendarDay(year: year, month: 2, day: 28))))
    }
    #expect(try roundTrip(#require(CalendarInterval(3, .month))))
    var buckets = try StatisticsBuckets(
      edges: [0, 100], type: .heartRate, policy: .holdLast(maximumGapMicroseconds: 7))
    buckets.add([[QuantityTrack(starts: [1, 2], values: [60, 70])]])
    #expect(try roundTrip(buckets.results([.average], sources: [DataSource(source: "test", device: "aa")])))
    #expect(try roundTrip([CategoryType.sleepAnalysis, CategoryType(identifier: "mood")]))
    #expect(try roundTrip([CategoryValue.asleepREM, CategoryValue(rawValue: .min)]))
    #expect(try roundTrip(CorrelationType.bloodPressure))
  }

  @Test("impossible values are refused by the decoder, not repaired")
  func refusals() throws {
    func refuses<Value: Decodable>(_ type: Value.Type, _ text: String) -> Bool {
      (try? JSONDecoder().decode(type, from: Data(text.utf8))) == nil
    }
    #expect(refuses(TimeSpan.self, #"{"start": 5, "end": 4}"#))
    #expect(refuses(CalendarDay.self, #""2026-02-29""#) && refuses(CalendarDay.self, #""9999999-01-01""#))
    #expect(refuses(CalendarDay.self, #""--""#) && refuses(CalendarInterval.self, #""0d""#))
    #expect(refuses(HeartbeatSeries.self, #"{"timescale": 0, "runs": [], "beats": []}"#))
    #expect(refuses(HeartbeatSeries.self, #"{"timescale": 1, "runs": [], "beats": [{"rrTicks": 1}]}"#))
    for text in [#"{}"#, #"{"text": "a", "flag": true}"#, #"{"colour": 7}"#, #"{"integer": "7"}"#, "7"] {
      #expect(refuses(MetadataValue.self, text), "\(text)")
    }
    let unit = try JSONDecoder().decode([Unit].self, from: Data(#"["quux", "km"]"#.utf8))
    #expect(unit[0].symbol == "quux" && !unit[0].isKnown && unit[1].isKnown)
  }

  @Test("times are whole microseconds, units and intervals their symbols")
  func forms() throws {
    #expect(try text(Self.noon) == "[1795350600000001]")
    #expect(try text(Unit.countPerMinute) == #"["count\/min"]"#)
    #expect(try text(#require(CalendarInterval(15, .minute))) == #"["15m"]"#)
    #expect(try text(#require(CalendarDay(year: 2026, month: 1, day: 2))) == #"["2026-01-02"]"#)
    #expect(try text(MetadataValue.text("left arm")) == #"[{"text":"left arm"}]"#)
    #expect(try text(CategoryType.sleepAnalysis) == #"["sleepAnalysis"]"# && text(CategoryValue.awake) == "[2]")
  }

  @Test("descriptions of values are one line")
  func descriptions() throws {
    let moment = Timestamp(microseconds: 1_500_000)
    #expect("\(moment)" == "1970-01-01T00:00:01.500000Z")
    #expect("\(TimeSpan(at: moment))" == "1970-01-01T00:00:01.500000Z")
    #expect("\(Quantity(61.5, .countPerMinute))" == "61.5 count/min")
    #expect("\(QuantityType.heartRate)" == "heartRate")
    #expect("\(HeartRateValue(time: moment, beatsPerMinute: 61))" == "61 count/min at 1970-01-01T00:00:01.500000Z")
    #expect("\(Heartbeat(rrTicks: 900, precededByGap: true, flags: .missed))" == "900 ticks (precededByGap, missed)")
    #expect("\(Device(localIdentifier: "aa"))" == "aa" && "\(Device())" == "unnamed device")
    #expect("\(SourceRevision(identifier: "sensord", name: "s", version: "1"))" == "sensord 1")
    #expect("\(MetadataValue.quantity(Quantity(1, .meter)))" == "1.0 m")
    #expect("\(TimeCoverage(covered: 1, gaps: 2))" == "33 %")
    #expect("\(HeartbeatSeries())" == "0 beats")
    #expect("\(CategoryValue.asleepREM)" == "5" && "\(TimeZoneRules.utc)" == "UTC")
    #expect("\([.maximum, .average] as StatisticsOptions)" == "average, maximum" && "\(StatisticsOptions())" == "none")
    var buckets = try StatisticsBuckets(edges: [0, 1_000_000], type: .heartRate)
    buckets.add([[QuantityTrack(starts: [1], values: [60])]])
    #expect(
      try buckets.results([.average], sources: [DataSource(source: "test")]).map { "\($0)" }
        == ["1970-01-01T00:00:00.000000Z/1970-01-01T00:00:01.000000Z: 1 quantity, average 60.0"])
  }

  @Test("dates and durations convert both ways to the microsecond")
  func bridges() throws {
    #expect(Timestamp(Date(timeIntervalSince1970: 1.5)) == Timestamp(microseconds: 1_500_000))
    var random = SystemRandomNumberGenerator()
    for _ in 0..<1000 {
      let moment = Timestamp(microseconds: Int64.random(in: 0...4_102_444_800_000_000, using: &random))
      #expect(Timestamp(moment.date) == moment)
    }
    for seconds in [Double.nan, .infinity, -.infinity, 1e300] {
      _ = Timestamp(Date(timeIntervalSince1970: seconds))
      _ = TimeSpan(start: Date(timeIntervalSince1970: seconds), end: Date(timeIntervalSince1970: 0))
    }
    #expect(Timestamp(Date(timeIntervalSince1970: .infinity)) == Timestamp(microseconds: .max))
    let interval = DateInterval(start: Date(timeIntervalSince1970: 1.5), duration: 2)
    #expect(TimeSpan(interval).description == "1970-01-01T00:00:01.500000Z/1970-01-01T00:00:03.500000Z")
    #expect(TimeSpan(interval).dateInterval == interval)
    let eternity = TimeSpan(
      DateInterval(start: .distantPast, end: Date(timeIntervalSince1970: .greatestFiniteMagnitude)))
    #expect(eternity.end.microseconds == .max)
    let span = try #require(TimeSpan(start: Self.noon, duration: .milliseconds(1500)))
    #expect(span.microseconds == 1_500_000 && span.duration == .milliseconds(1500))
    #expect(TimeSpan(start: Self.noon, duration: .seconds(-1)) == nil)
    #expect(Duration.nanoseconds(-1).wholeMicroseconds == -1 && Duration.nanoseconds(1999).wholeMicroseconds == 1)
    #expect(WeightingPolicy.holdLast(maximumGap: .seconds(10)) == .holdLast(maximumGapMicroseconds: 10_000_000))
  }
}
