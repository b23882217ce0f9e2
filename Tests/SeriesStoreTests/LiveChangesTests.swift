import FoundationEssentials
@testable import HealthModel
import Synchronization
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Live changes")
struct LiveChangesTests {
  let folder = TemporaryFolder()
  let program = SourceRevision(identifier: "test", name: "Test")

  private func sample(_ type: QuantityType = .heartRate, at second: Int64 = 1) throws -> NewSample {
    let time = Timestamp(microseconds: second * 1_000_000)
    var builder = QuantitySeriesBuilder(type: type, start: time)
    try builder.insert(60, from: time, to: time)
    return try builder.finish()
  }

  @Test("each answer has what came since the one before, and the anchor after it")
  func increments() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    var results = ChangeQuery(after: .start).results(for: store).makeAsyncIterator()
    let samples = try (1...4).map { try sample(at: $0) }
    try await store.save(samples[0], as: program)
    let first = try #require(try await results.next()?.value)
    #expect(first.added.map(\.id) == [samples[0].id] && first.anchor.place?.number == 1)
    try await store.save(samples[1], as: program)
    let second = try #require(try await results.next()?.value)
    #expect(second.added.map(\.id) == [samples[1].id] && second.anchor.place?.number == 2)
    // What nobody waited for is in the next answer, once.
    try await store.save(samples[2], as: program)
    try await store.delete([samples[0].id], as: "test")
    try await store.save(samples[3], as: program)
    let third = try #require(try await results.next()?.value)
    #expect(third.added.map(\.id) == [samples[2].id, samples[3].id] && third.deleted.map(\.id) == [samples[0].id])
    let all = try await ChangeQuery(after: .start).result(for: store).value
    #expect(all.anchor == third.anchor && !third.hasMore)
  }

  @Test("with a limit the next answer follows at once while there is more", arguments: [1, 2, 3, 5, 7])
  func limit(limit: Int) async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let samples = try (1...5).map { try sample(at: $0) }
    try await store.save(samples, as: program)
    var found: [UUID] = []
    var anchors: [ChangeAnchor] = []
    for try await snapshot in ChangeQuery(after: .start, limit: limit).results(for: store) {
      let changes = snapshot.value
      #expect(changes.added.count <= limit && snapshot.change == changes.anchor.place?.number)
      found += changes.added.map(\.id)
      anchors.append(changes.anchor)
      #expect(changes.hasMore == (found.count < 5))
      if !changes.hasMore { break }
    }
    #expect(found == samples.map(\.id) && Set(anchors).count == anchors.count && anchors.count == (4 + limit) / limit)
  }

  @Test("a saved session is reported with its samples, again when it is replaced, and not after it is deleted")
  func sessions() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    var results = ChangeQuery(after: .start).results(for: store).makeAsyncIterator()
    let session = try makeSession(version: 1)
    _ = try await store.commit(session)
    let first = try #require(try await results.next()?.value)
    let stored = try await store.sessions()
    #expect(first.sessions == stored && stored.map(\.id) == [session.id])
    #expect(first.added.count == 5 && first.added.allSatisfy { $0.session == session.id })
    _ = try await store.commit(try makeSession(id: session.id, version: 2))
    let second = try #require(try await results.next()?.value)
    #expect(second.sessions.map(\.syncVersion) == [2] && second.added.count == 5)
    #expect(Set(second.deleted.map(\.id)) == Set(first.added.map(\.id)))
    try await store.delete(session.id)
    let third = try #require(try await results.next()?.value)
    #expect(third.sessions.isEmpty && third.added.isEmpty && third.deleted.count == 6)
    let all = try await ChangeQuery(after: .start).result(for: store).value
    #expect(all.sessions.isEmpty && all.added.isEmpty)
  }

  @Test("a predicate matches sessions by their own properties, and none by properties of samples")
  func predicates() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let session = try makeSession()
    _ = try await store.commit(session)
    let around = (session.start.advanced(byMicroseconds: -1), session.start.advanced(byMicroseconds: 1))
    let meant: [SamplePredicate] = [
      .all, .type(.session), .source("sensord"), .device("C0:FF:EE:00:00:01"), .identifier([session.id]),
      .session(session.id), .time(from: around.0, to: around.1), .metadata("level", .equal, 7),
      .not(.type(.heartbeatSeries)), .summary(.start, .equal, session.start),
    ]
    for predicate in meant {
      let sessions = try await ChangeQuery(after: .start, predicate: predicate).result(for: store).value.sessions
      #expect(sessions.map(\.id) == [session.id], "\(predicate)")
    }
    let others: [SamplePredicate] = [
      .or([]), .type(.heartbeatSeries), .not(.type(.session)), .source("test"), .device("C0"), .identifier([UUID()]),
      .session(UUID()), .time(from: nil, to: session.start), .metadata("level", .equal, 8),
      .value([CategoryValue(rawValue: 1)]),
      .part(of: session.id), .basis(of: session.id), .summary(.average, .greater, Quantity(0, .countPerMinute)),
    ]
    for predicate in others {
      let changes = try await ChangeQuery(after: .start, predicate: predicate).result(for: store).value
      #expect(changes.sessions.isEmpty, "\(predicate)")
    }
    // A session that is back is no deletion for whom it concerns.
    try await store.delete(session.id)
    _ = try await store.commit(session, restore: true)
    for (predicate, isDeleted) in [(SamplePredicate.all, false), (.type(.session), false), (.or([]), true)] {
      let changes = try await ChangeQuery(after: .start, predicate: predicate).result(for: store).value
      #expect(changes.deleted.contains { $0.id == session.id } == isDeleted)
    }
  }

  /// A query that counts how often it is answered.
  private struct Counted<Query: StoreQuery>: StoreQuery {
    final class Counter: Sendable {
      private let state = Mutex(0)
      var count: Int { state.withLock { $0 } }
      func add() { state.withLock { $0 += 1 } }
    }

    var query: Query
    let counter: Counter

    func result(for store: HealthStore) async throws(StoreError) -> Snapshot<Query.Output> {
      counter.add()
      return try await query.result(for: store)
    }

    func isConcerned(by change: StoreChange) -> Bool { query.isConcerned(by: change) }

    func next(after answer: Query.Output) -> (query: Self, isDue: Bool) {
      let next = query.next(after: answer)
      return (Counted(query: next.query, counter: counter), next.isDue)
    }
  }

  /// How often a live query is answered when `change` happens between its first answer and the end of the store.
  private func answers(
    _ query: some StoreQuery, _ change: (HealthStore) async throws -> Void
  ) async throws -> Int {
    let folder = TemporaryFolder()
    let store = try HealthStore.open(folder.store, for: .writing)
    _ = try await store.commit(try makeSession())
    try await store.save(sample(.stepCount), as: program)
    let counted = Counted(query: query, counter: .init())
    var results = counted.results(for: store).makeAsyncIterator()
    _ = try await results.next()
    try await change(store)
    // A signal that waits is answered first.
    await store.close()
    _ = try await results.next()
    return counted.counter.count - 1
  }

  @Test("a save wakes the live queries that it concerns by type and source, and no other")
  func wakes() async throws {
    let steps: (HealthStore) async throws -> Void = { try await $0.save(try sample(.stepCount), as: program) }
    let rates: (HealthStore) async throws -> Void = { try await $0.save(try sample(), as: program) }
    let session: (HealthStore) async throws -> Void = { _ = try await $0.commit(try makeSession()) }
    let heartRates = SamplePredicate.type(.quantity(.heartRate))

    #expect(try await answers(SampleQuery(heartRates), steps) == 0)
    #expect(try await answers(SampleQuery(heartRates), rates) == 1)
    #expect(try await answers(SampleQuery(.source("sensord")), rates) == 0)
    #expect(try await answers(SampleQuery(.source("sensord")), session) == 1)
    #expect(try await answers(SampleQuery(.and([heartRates, .source("other")])), rates) == 0)
    #expect(try await answers(SampleQuery(.not(heartRates)), rates) == 0)
    #expect(try await answers(SampleQuery(.not(.not(heartRates))), rates) == 1)
    #expect(try await answers(SampleQuery(.or([heartRates, .count(.greater, 3)])), steps) == 1)
    #expect(try await answers(SampleQuery(.and([heartRates, .basis(of: UUID())])), steps) == 1)

    #expect(try await answers(QuantityQuery(.heartRate), steps) == 0)
    #expect(try await answers(QuantityQuery(.heartRate), rates) == 1)
    #expect(try await answers(QuantityQuery(.heartRate, predicate: .source("sensord")), rates) == 0)
    let statistics = try StatisticsCollectionQuery(.heartRate, buckets: .single)
    #expect(try await answers(statistics, steps) == 0)
    #expect(try await answers(statistics, rates) == 1)

    #expect(try await answers(ChangeQuery(after: .start, predicate: heartRates), steps) == 0)
    #expect(try await answers(ChangeQuery(after: .start, predicate: heartRates), rates) == 1)
    #expect(try await answers(ChangeQuery(after: .start, predicate: .type(.session)), rates) == 0)
    #expect(try await answers(ChangeQuery(after: .start, predicate: .type(.session)), session) == 1)
    #expect(try await answers(ChangeQuery(after: .start, predicate: .or([])), session) == 0)
  }

  @Test("a deletion wakes the live queries that had the sample, and all live change queries")
  func deletions() async throws {
    let gone: (HealthStore) async throws -> Void = { store in
      let count = try await store.delete(.type(.quantity(.stepCount)), as: "test")
      #expect(count == 1)
    }
    #expect(try await answers(SampleQuery(.type(.quantity(.heartRate))), gone) == 0)
    #expect(try await answers(SampleQuery(.type(.quantity(.stepCount))), gone) == 1)
    #expect(try await answers(ChangeQuery(after: .start, predicate: .type(.heartbeatSeries)), gone) == 1)
    #expect(try await answers(ChangeQuery(after: .start, predicate: .or([])), gone) == 1)
  }

  @Test("beats are read again after beats only")
  func beats() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let beats = try #require(NewSample(heartbeats: makeSession(beats: 20).heartbeats))
    try await store.save(beats, as: program)
    let counted = Counted(query: HeartbeatQuery(beats.id), counter: .init())
    var results = counted.results(for: store).makeAsyncIterator()
    _ = try await results.next()
    try await store.save(sample(), as: program)
    try await store.save(try #require(NewSample(heartbeats: makeSession(beats: 20).heartbeats)), as: program)
    let second = try await results.next()
    #expect(second != nil && counted.counter.count == 2)
    try await store.save(sample(), as: program)
    await store.close()
    let end = try await results.next()
    #expect(end == nil && counted.counter.count == 2)
  }

  @Test("a change that a predicate matches always concerns it")
  func judgement() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    _ = try await store.commit(try makeSession())
    for name in ["test", "other"] {
      let source = SourceRevision(identifier: name, name: name)
      try await store.save([sample(), sample(.stepCount), sample(.bodyMass)], as: source)
    }
    let samples = try await SampleQuery().result(for: store).value
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    func predicate(_ depth: Int) -> SamplePredicate {
      switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
      case 0: .type(samples.randomElement(using: &random)?.type ?? .session)
      case 1: .source(["test", "other", "sensord"].randomElement(using: &random) ?? "")
      case 2: .count(.greater, 1)
      case 3: [.all, .session(samples[0].session ?? UUID())].randomElement(using: &random) ?? .all
      case 4: .identifier([samples.randomElement(using: &random)?.id ?? UUID()])
      case 5: .not(predicate(depth - 1))
      case 6: .and((0..<Int.random(in: 0...3, using: &random)).map { _ in predicate(depth - 1) })
      default: .or((0..<Int.random(in: 0...3, using: &random)).map { _ in predicate(depth - 1) })
      }
    }
    var ruledOut = 0
    for _ in 0..<500 * Trials.factor {
      let predicate = predicate(3)
      let meant = Set(try await SampleQuery(predicate).result(for: store).value.map(\.id))
      for sample in samples {
        let change = StoreChange(type: sample.type, source: sample.source.identifier, isDeletion: false)
        guard !predicate.mayMean(change) else { continue }
        ruledOut += 1
        #expect(!meant.contains(sample.id), "SENSORD_SEED=\(seed) \(predicate)")
      }
      #expect(predicate.mayMean(StoreChange(type: nil, source: nil, isDeletion: true)) || meant.isEmpty)
    }
    #expect(ruledOut > 100)
  }
}
