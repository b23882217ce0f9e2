import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("SampleQuery")
struct SampleQueryTests {
  let folder = TemporaryFolder()
  let program = SourceRevision(identifier: "test", name: "Test")

  private func at(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }

  private func sample(
    _ type: QuantityType = .heartRate, _ values: [Double] = [60], from start: Int64 = 0, every step: Int64 = 1,
    lasting length: Int64 = 0, device: Device? = nil, metadata: Metadata = [:], sync: SyncIdentity? = nil
  ) throws -> NewSample {
    var builder = QuantitySeriesBuilder(type: type, start: at(start), device: device)
    for (index, value) in values.enumerated() {
      let second = start + Int64(index) * step
      try builder.insert(value, from: at(second), to: at(second + length))
    }
    return try builder.finish(metadata: metadata, sync: sync)
  }

  @Test("a saved sample comes back with its figures, device, source and metadata")
  func roundTrip() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let device = Device(name: "Scale", localIdentifier: "aa")
    let saved = try sample(.bodyMass, [80, 82, 81], from: 5, device: device, metadata: ["mood": "good"])
    #expect(try await store.save([saved], as: program) == [.stored])
    let found = try await SampleQuery().result(for: store)
    let sample = try #require(found.value.first)
    #expect(found.change == 1)
    #expect(sample.id == saved.id && sample.type == .quantity(.bodyMass))
    #expect(sample.source == program && sample.device == device)
    #expect(sample.metadata == ["mood": "good"])
    #expect(sample.start == at(5) && sample.end == at(7) && sample.count == 3)
    #expect(
      sample.summary
        == SampleSummary(
          sum: nil, average: 81, minimum: 80, maximum: 82, mostRecent: 81, mostRecentSpan: TimeSpan(at: at(7))))
  }

  @Test("predicates select by time with its three modes")
  func time() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    // From 10 to 20, at 20, and from 20 to 30.
    let samples = [
      try sample(from: 10, lasting: 10), try sample(from: 20), try sample(from: 20, lasting: 10),
    ]
    try await store.save(samples, as: program)
    func found(
      _ from: Int64?, _ to: Int64?, _ strictness: SamplePredicate.TimeStrictness = []
    ) async throws -> [Int] {
      let query = SampleQuery(.time(from: from.map(at), to: to.map(at), strictness: strictness))
      let identifiers = try await query.result(for: store).value.map(\.id)
      return samples.indices.filter { identifiers.contains(samples[$0].id) }
    }
    #expect(try await found(nil, nil) == [0, 1, 2])
    #expect(try await found(15, 18) == [0])
    #expect(try await found(20, 21) == [1, 2])
    #expect(try await found(0, 20) == [0])
    #expect(try await found(25, nil) == [2])
    #expect(try await found(15, 25, .start) == [1, 2])
    #expect(try await found(15, 25, .end) == [0, 1])
    #expect(try await found(15, 25, [.start, .end]) == [1])
    #expect(try await found(10, 20, [.start, .end]) == [])
    #expect(try await found(10, 21, [.start, .end]) == [0, 1])
  }

  @Test("samples of a type that start in a time are found by the index of both, not by looking through all")
  func byIndex() throws {
    let file = try StoreFile(folder.store, for: .writing, mode: 0o600)
    let night = SamplePredicate.time(from: at(10), to: at(20), strictness: .start)
    let condition = try file.connection.condition(
      .and([.type(.category(.sleepAnalysis)), night]), firstParameter: 1)
    var plan = try file.connection.prepare(
      "EXPLAIN QUERY PLAN SELECT sample.id FROM \(condition.tables) WHERE (\(condition.text))")
    try condition.bind(to: &plan)
    var lines: [String] = []
    while try plan.step() { lines.append(plan.text(3) ?? "") }
    let search = "SEARCH sample USING INDEX sample_time (type=? AND source=? AND start>? AND start<?)"
    #expect(lines.contains(search), "\(lines)")
  }

  @Test("predicates select by type, source, device, metadata, figures, and combinations")
  func predicates() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let samples = [
      try sample(
        .heartRate, [60, 90], device: Device(localIdentifier: "strap"), metadata: ["zone": 2, "note": "run"]),
      try sample(.heartRate, [150, 170], from: 10, every: 5, metadata: ["zone": 4, "indoor": true]),
      try sample(
        .stepCount, [10, 20, 30], from: 20, lasting: 1, metadata: ["length": .quantity(Quantity(0.7, .meter))]),
    ]
    try await store.save(Array(samples[..<2]), as: program)
    try await store.save([samples[2]], as: SourceRevision(identifier: "pedometer", name: "Pedometer"))
    func found(_ predicate: SamplePredicate) async throws -> [Int] {
      let identifiers = try await SampleQuery(predicate).result(for: store).value.map(\.id)
      return samples.indices.filter { identifiers.contains(samples[$0].id) }
    }
    let cases: [(SamplePredicate, [Int])] = [
      (.all, [0, 1, 2]), (.type(.quantity(.heartRate)), [0, 1]), (.type(.heartbeatSeries), []),
      (.source("pedometer"), [2]), (.device("strap"), [0]), (.not(.device("strap")), [1, 2]),
      (.identifier([samples[1].id]), [1]), (.session(UUID()), []), (.not(.session(UUID())), [0, 1, 2]),
      (.hasMetadata("zone"), [0, 1]), (.metadata("zone", .greater, 3), [1]), (.metadata("zone", .equal, 2.0), [0]),
      (.metadata("zone", .equal, "2"), []), (.metadata("note", .equal, "run"), [0]),
      (.metadata("note", .greater, 0), []), (.metadata("indoor", .equal, true), [1]),
      (.metadata("length", .less, .quantity(Quantity(1, .meter))), [2]),
      (.metadata("length", .less, .quantity(Quantity(1, .second))), []),
      (.metadata("length", .equal, .quantity(Quantity(70, Unit("cm") ?? .meter))), [2]),
      (.metadata("length", .greater, .quantity(Quantity(70, Unit("cm") ?? .meter))), []),
      (.metadata("length", .greaterOrEqual, .quantity(Quantity(2, Unit("ft") ?? .meter))), [2]),
      (.metadata("length", .less, .quantity(Quantity(2, Unit("ft") ?? .meter))), []),
      (.summary(.sum, .equal, Quantity(60, .count)), [2]),
      (.summary(.minimum, .greaterOrEqual, Quantity(1, .count)), [2]),
      (.summary(.minimum, .greaterOrEqual, Quantity(60, .countPerMinute)), [0, 1]),
      (.summary(.maximum, .lessOrEqual, Quantity(90, .countPerMinute)), [0]),
      (.summary(.average, .greater, Quantity(150, .countPerMinute)), [1]),
      (.summary(.average, .lessOrEqual, Quantity(150, .countPerMinute)), [0]),
      (.summary(.mostRecent, .notEqual, Quantity(1.5, Unit("count/s") ?? .count)), [1]),
      (.summary(.mostRecentStart, .equal, at(15)), [1]), (.summary(.mostRecentEnd, .equal, at(23)), [2]),
      (.summary(.mostRecentDuration, .greater, .zero), [2]), (.count(.equal, 3), [2]),
      (.summary(.duration, .equal, .seconds(3)), [2]), (.not(.summary(.sum, .equal, Quantity(60, .count))), [0, 1]),
      (.and([.type(.quantity(.heartRate)), .hasMetadata("indoor")]), [1]), (.and([]), [0, 1, 2]),
      (.or([.source("pedometer"), .device("strap")]), [0, 2]), (.or([]), []),
      (.not(.or([.source("pedometer"), .device("strap")])), [1]), (.source("' OR 1 --"), []),
    ]
    for (predicate, expected) in cases {
      #expect(try await found(predicate) == expected, "\(predicate)")
    }
  }

  @Test("samples come in the requested order and number")
  func order() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let samples = try [30, 10, 20].map { try sample(.heartRate, Array(repeating: 60, count: Int($0)), from: $0) }
    try await store.save(samples, as: program)
    func starts(_ order: [SampleQuery.Order], _ limit: Int? = nil) async throws -> [Int64] {
      try await SampleQuery(order: order, limit: limit).result(for: store).value.map {
        $0.start.microseconds / 1_000_000
      }
    }
    #expect(try await starts([.init(.start)]) == [10, 20, 30])
    #expect(try await starts([.init(.start, isDescending: true)], 2) == [30, 20])
    #expect(try await starts([.init(.count)]) == [10, 20, 30])
    #expect(try await starts([.init(.change)]) == [30, 10, 20])
    #expect(try await starts([], 1) == [30])
    #expect(try await starts([], 0) == [])
  }

  @Test("saving is all or nothing, and an identifier is stored once")
  func allOrNothing() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let first = try sample()
    let second = try sample(from: 9)
    try await store.save([first], as: program)
    await #expect { try await store.save([second, first], as: program) } throws: {
      ($0 as? StoreError)?.code == .invalid
    }
    #expect(try await SampleQuery().result(for: store).value.map(\.id) == [first.id])
    #expect(try await ChangeQuery(after: .start).result(for: store).value.anchor.place?.number == 1)
  }

  @Test("of one sync identifier and one source only a strictly greater version replaces")
  func sync() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    func version(_ version: Int64) throws -> NewSample {
      try sample(.heartRate, [Double(version)], sync: .init(identifier: "one", version: version))
    }
    let first = try version(1)
    let second = try version(2)
    #expect(try await store.save([first], as: program) == [.stored])
    #expect(try await store.save([try version(1)], as: program) == [.unchanged])
    #expect(try await store.save([second], as: program) == [.replaced])
    #expect(try await store.save([try version(1)], as: program) == [.unchanged])
    let other = SourceRevision(identifier: "other", name: "Other")
    #expect(try await store.save([try version(1)], as: other) == [.stored])
    let newer = SourceRevision(identifier: "test", name: "Test", version: "2")
    #expect(try await store.save([try version(3)], as: newer) == [.replaced])
    #expect(try await SampleQuery(.source("test")).result(for: store).value.map(\.syncVersion) == [3])
    let changes = try await ChangeQuery(after: .start).result(for: store).value
    #expect(changes.deleted.map(\.id) == [first.id, second.id])
  }

  @Test("a program deletes only what it saved, and leaves a tombstone")
  func deletion() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let mine = try sample()
    let theirs = try sample(from: 9)
    try await store.save([mine], as: program)
    try await store.save([theirs], as: SourceRevision(identifier: "other", name: "Other"))
    await #expect { try await store.delete([mine.id, theirs.id], as: "test") } throws: {
      ($0 as? StoreError)?.code == .permission
    }
    #expect(try await SampleQuery().result(for: store).value.count == 2)
    try await store.delete([mine.id], as: "test")
    await #expect { try await store.delete([mine.id], as: "test") } throws: {
      ($0 as? StoreError)?.code == .notFound
    }
    #expect(try await SampleQuery().result(for: store).value.map(\.id) == [theirs.id])
    let session = try makeSession()
    _ = try await store.commit(session)
    let part = try #require(try await SampleQuery(.session(session.id)).result(for: store).value.first)
    await #expect { try await store.delete([part.id], as: "sensord") } throws: {
      ($0 as? StoreError)?.code == .invalid
    }
  }

  @Test("changes are numbered without gaps, and a caller that comes back misses nothing")
  func changes() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let first = try sample()
    let second = try sample(.stepCount, [5], from: 9)
    try await store.save([first], as: program)
    let start = try await ChangeQuery(after: .start).result(for: store).value
    #expect(start.added.map(\.id) == [first.id] && start.deleted.isEmpty && start.anchor.place?.number == 1)
    try await store.save([second], as: program)
    try await store.delete([first.id], as: "test")
    let session = try makeSession()
    _ = try await store.commit(session)
    try await store.delete(session.id)
    let next = try await ChangeQuery(after: start.anchor).result(for: store).value
    #expect(next.added.map(\.id) == [second.id])
    #expect(next.deleted.first?.id == first.id)
    #expect(next.deleted.contains { $0.id == session.id && $0.isSession })
    // One save, one deletion; the session and its five samples, saved and deleted.
    #expect(next.anchor.place?.number == 15)
    #expect(try await ChangeQuery(after: next.anchor).result(for: store).value.anchor == next.anchor)
    let steps = try await ChangeQuery(after: .start, predicate: .type(.quantity(.heartRate)), limit: 2).result(
      for: store)
    #expect(steps.value.added.isEmpty && steps.value.anchor.place?.number == 2)
  }

  @Test(
    "what was deleted and is there again is added, and not deleted too; what the predicate does not mean any more is")
  func savedAgain() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let session = try makeSession()
    _ = try await store.commit(session)
    let seen = try await ChangeQuery(after: .start).result(for: store).value
    try await store.delete(session.id)
    _ = try await store.commit(session, restore: true)
    let change = try await ChangeQuery(after: seen.anchor).result(for: store).value
    #expect(Set(change.added.map(\.id)) == Set(seen.added.map(\.id)) && change.added.count == 5)
    #expect(change.deleted.isEmpty)
    // In steps of one the mirror has the same in the end, whatever comes between.
    var mirror = Set(seen.added.map(\.id))
    var anchor = seen.anchor
    while anchor != change.anchor {
      let step = try await ChangeQuery(after: anchor, limit: 1).result(for: store).value
      #expect(step.anchor.place?.number == (anchor.place?.number ?? 0) + 1)
      mirror.formUnion(step.added.map(\.id))
      mirror.subtract(step.deleted.map(\.id))
      anchor = step.anchor
    }
    #expect(mirror == Set(change.added.map(\.id)))

    let beats = try makeSession(beats: 20).heartbeats
    let first = try #require(NewSample(heartbeats: beats, metadata: ["kind": "rest"]))
    try await store.save([first], as: program)
    let rest = ChangeQuery(after: change.anchor, predicate: .metadata("kind", .equal, "rest"))
    #expect(try await rest.result(for: store).value.added.map(\.id) == [first.id])
    try await store.delete([first.id], as: "test")
    let again = try #require(NewSample(heartbeats: beats, id: first.id, metadata: ["kind": "sport"]))
    try await store.save([again], as: program)
    let next = try await rest.result(for: store).value
    #expect(next.added.isEmpty && next.deleted.map(\.id) == [first.id])
  }

  @Test("with any large limit, an answer reaches the last change")
  func largeLimit() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await store.save([try sample(), try sample(.stepCount, [5], from: 9)], as: program)
    for limit in [1, 2, Int.max - 1, .max] {
      let first = try await ChangeQuery(after: .start, limit: 1).result(for: store).value.anchor
      let answer = try await ChangeQuery(after: first, limit: limit).result(for: store).value
      #expect(answer.added.count == 1 && answer.anchor.place?.number == 2, "limit \(limit)")
    }
  }

  @Test("the samples of a session belong to it, its SDNN among them")
  func sessionSamples() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let session = try makeSession()
    _ = try await store.commit(session)
    let samples = try await SampleQuery(.session(session.id)).result(for: store).value
    #expect(
      Set(samples.map(\.type.identifier)) == [
        "heartRate", "heartbeatSeries", "heartRateVariabilitySDNN", "heartRateVariabilityRMSSD",
        "heartRateVariabilityPNN50",
      ])
    let beats = try #require(samples.first { $0.type == .heartbeatSeries })
    #expect(try await HeartbeatQuery(beats.id).result(for: store).value == session.heartbeats)
    let sdnn = try #require(samples.first { $0.type == .quantity(.heartRateVariabilitySDNN) })
    #expect(sdnn.summary?.average == 51.5)
    await #expect { try await HeartbeatQuery(UUID()).result(for: store) } throws: {
      ($0 as? StoreError)?.code == .notFound
    }
  }

  @Test("beats of another timescale than Bluetooth's are saved and read back")
  func heartbeats() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    var builder = HeartbeatSeriesBuilder(timescale: 360)
    for ticks in [77, 370, 662, 946] as [Int64] { try builder.add(atTicks: ticks, since: at(5)) }
    let series = try builder.finish()
    let sample = try #require(NewSample(heartbeats: series, metadata: ["record": "100"]))
    try await store.save([sample], as: program)
    #expect(try await HeartbeatQuery(sample.id).result(for: store).value == series)
    #expect(NewSample(heartbeats: HeartbeatSeries()) == nil)
  }

  @Test("a session of a single rate has it")
  func singleRate() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    var session = try makeSession()
    session.rates = [HeartRateValue(time: at(7), beatsPerMinute: 61)]
    _ = try await store.commit(session)
    #expect(try await store.rates(of: session.id) == session.rates)
  }
}
