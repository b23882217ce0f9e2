import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// The public functions of the store with the edges of their arguments: a typed error or an answer, never a trap.
@Suite("Edges of the store")
struct StoreEdgeTests {
  let folder = TemporaryFolder()
  private let program = SourceRevision(identifier: "test", name: "Test")
  private static let integers: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
  private static let reals: [Double] = [
    .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e270, -1e270, 2000,
    .leastNonzeroMagnitude, -0.0,
  ]
  private let range = Timestamp.calendarRange

  @Test("a quantity outside of the calendar, or too great to be summed up, is refused by name")
  func builder() throws {
    for type in [QuantityType.heartRate, .stepCount, .environmentalAudioExposure] {
      for start in Self.integers {
        for end in Self.integers {
          for value in Self.reals {
            var builder = QuantitySeriesBuilder(type: type, start: Timestamp(microseconds: .min))
            try? builder.insert(
              value, from: Timestamp(microseconds: start), to: Timestamp(microseconds: end))
            _ = try? builder.finish(end: Timestamp(microseconds: end))
          }
        }
      }
    }
    var builder = QuantitySeriesBuilder(type: .stepCount, start: Timestamp(microseconds: .min))
    let zero = Timestamp(microseconds: 0)
    #expect(throws: SeriesError.timeOutOfRange) {
      try builder.insert(1, from: Timestamp(microseconds: .min), to: Timestamp(microseconds: .min))
    }
    #expect(throws: SeriesError.timeOutOfRange) { try builder.insert(1, from: zero, to: Timestamp(microseconds: .max)) }
    #expect(throws: SeriesError.valueOutOfRange(limit: 1e270)) { try builder.insert(1e300, from: zero, to: zero) }
    #expect(throws: SeriesError.notFinite) { try builder.insert(.nan, from: zero, to: zero) }
    #expect(throws: SeriesError.empty) { try builder.finish() }
    try builder.insert(1, from: zero, to: zero)
    #expect(throws: SeriesError.timeOutOfRange) { try builder.finish(end: Timestamp(microseconds: .max)) }
  }

  @Test("the first and the last moment, the longest intervals and the greatest values are kept")
  func extremes() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    for type in [QuantityType.heartRate, .stepCount] {
      var builder = QuantitySeriesBuilder(type: type, start: range.lowerBound)
      for step in 0..<40 as Range<Int64> {
        try builder.insert(
          step % 2 == 0 ? 1e270 : -1e270, from: range.lowerBound.advanced(byMicroseconds: step), to: range.upperBound)
      }
      try builder.insert(1, from: range.upperBound, to: range.upperBound)
      try await store.save([try builder.finish()], as: program)
      let values = try await QuantityQuery(type).result(for: store).value
      #expect(values.count == 41)
      #expect(values.first?.span.start == range.lowerBound && values.last?.span.end == range.upperBound)
      for policy in [
        WeightingPolicy.ownDuration, .holdLast(maximumGapMicroseconds: .max), .trapezoid(maximumGapMicroseconds: .min),
      ] {
        let statistics = try StatisticsCollectionQuery(type, buckets: .single, policy: policy)
        #expect(try await statistics.result(for: store).value.map(\.count) == [41])
      }
    }
    #expect(try await store.check() == [])
  }

  @Test("a replaced value does not determine when the series ends")
  func replacedEnd() throws {
    func at(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }
    var builder = QuantitySeriesBuilder(type: .stepCount, start: at(0))
    try builder.insert(1, from: at(0), to: at(100))
    try builder.insert(2, from: at(0), to: at(10))
    var other = builder
    #expect(try builder.finish(end: at(10)).span == TimeSpan(start: at(0), end: at(10)))
    #expect(try other.finish().span == TimeSpan(start: at(0), end: at(10)))
    var early = QuantitySeriesBuilder(type: .stepCount, start: at(0))
    try early.insert(1, from: at(0), to: at(100))
    #expect(throws: SeriesError.endsBeforeInsertedEnd) { try early.finish(end: at(99)) }
    #expect(try early.finish(end: at(100)).span.end == at(100))
  }

  @Test("a heartbeat series is stored from its builder's start")
  func heartbeatStart() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let start = Timestamp(microseconds: 5_000_000)
    var builder = HeartbeatSeriesBuilder(timescale: 1000)
    for ticks in [500, 1490] as [Int64] { try builder.add(atTicks: ticks, since: start) }
    let series = try builder.finish()
    let sample = try #require(NewSample(heartbeats: series))
    try await store.save([sample], as: program)
    let found = try #require(try await SampleQuery().result(for: store).value.first)
    #expect(found.start == start && found.end == start.advanced(byMicroseconds: 1_490_000))
    #expect(try await HeartbeatQuery(sample.id).result(for: store).value == series)
    #expect(try await store.check() == [])
  }

  @Test("queries with every edge of their arguments")
  func queries() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    var builder = QuantitySeriesBuilder(type: .heartRate, start: Timestamp(microseconds: 0))
    try builder.insert(60, from: Timestamp(microseconds: 0), to: Timestamp(microseconds: 1))
    try await store.save([try builder.finish()], as: program)
    let known = try await ChangeQuery(after: .start).result(for: store).value.anchor.description.split(separator: ":")
    for number in Self.integers {
      _ = try await SampleQuery(limit: Int(number)).result(for: store)
      _ = try await ChangeQuery(after: .start, limit: Int(number)).result(for: store)
      guard let anchor = ChangeAnchor("\(known[0]):\(number):\(known[2])") else { continue }
      do throws(StoreError) {
        _ = try await ChangeQuery(after: anchor, limit: Int(number)).result(for: store)
        #expect(number == 1)
      } catch {
        #expect(error.code == .lostAnchor)
      }
    }
    for number in Self.integers {
      let moment = Timestamp(microseconds: number)
      for other in Self.moments {
        let quantities = QuantityQuery(.heartRate, from: moment, to: other)
        let found = try await quantities.result(for: store).value
        var count = 0
        for try await batch in quantities.batches(for: store) { count += batch.count }
        #expect(count == found.count)
        _ = try await SampleQuery(.time(from: moment, to: other, strictness: [.start, .end])).result(for: store)
        let day = try #require(CalendarInterval(100_000, .year))
        for policy in [WeightingPolicy.holdLast(maximumGapMicroseconds: number), .ownDuration] {
          for buckets in [
            StatisticsCollectionQuery.Buckets.single, .natural(day, zone: .utc),
            .calendar(day, anchor: moment, zone: TimeZoneRules(name: "far", fixedOffset: .max)),
          ] {
            let query = try StatisticsCollectionQuery(
              .heartRate, buckets: buckets, from: moment, to: other, policy: policy)
            _ = try? await query.result(for: store)
          }
        }
      }
      _ = try await SampleQuery(.summary(.start, .less, moment)).result(for: store)
      _ = try await SampleQuery(.summary(.duration, .less, .seconds(number))).result(for: store)
      _ = try await SampleQuery(.count(.less, Int(number))).result(for: store)
    }
    for value in Self.reals {
      _ = try await SampleQuery(.summary(.average, .less, Quantity(value, .countPerMinute))).result(for: store)
      _ = try await SampleQuery(.metadata("a", .less, .quantity(Quantity(value, .meter)))).result(for: store)
      _ = try await SampleQuery(.metadata("a", .less, .real(value))).result(for: store)
    }
    for predicate in [SamplePredicate.or([]), .not(.and([])), .basis(of: UUID()), .part(of: UUID()), .identifier([])] {
      #expect(try await SampleQuery(predicate).result(for: store).value.isEmpty)
      #expect(try await SampleQuery(.not(predicate)).result(for: store).value.count == 1)
    }
    await #expect(throws: StoreError.self) { try await HeartbeatQuery(UUID()).result(for: store) }
    for name in ["", "last", "zz", "0000", String(repeating: "a", count: 1000)] { _ = try? await store.session(name) }
  }

  private static let moments = integers.map(Timestamp.init(microseconds:))

  @Test("a session outside of the calendar is refused by name")
  func session() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let moments = Self.moments
    for start in moments {
      for end in moments {
        let session = RecordedSession(
          id: UUID(), syncVersion: 1, device: Device(), source: program, start: start, end: end, endReason: "request",
          rates: [HeartRateValue(time: start, beatsPerMinute: 60), HeartRateValue(time: end, beatsPerMinute: 61)],
          variability: HeartRateVariabilitySummary(sdnnMilliseconds: .nan, rmssdMilliseconds: .infinity))
        do throws(StoreError) {
          _ = try await store.commit(session)
        } catch {
          #expect(error.code == .invalid)
        }
      }
    }
    #expect(try await store.check() == [])
  }
}
