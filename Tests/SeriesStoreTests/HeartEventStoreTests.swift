import CSQLite
import Foundation
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Heart events of sessions")
struct HeartEventStoreTests {
  private let folder = TemporaryFolder()

  private func event(
    _ kind: HeartEvent.Kind, _ session: RecordedSession, at second: Int64, threshold: Double? = 40, version: Int64 = 1
  ) throws -> HeartEvent {
    let start = session.start.advanced(byMicroseconds: second * 1_000_000)
    let span = try #require(TimeSpan(start: start, end: start.advanced(byMicroseconds: 600_000_000)))
    return HeartEvent(
      kind, over: span, threshold: threshold, rule: HeartEvent.Rule(name: "rule", version: version))
  }

  private func stored(_ store: HealthStore) async throws -> [HealthSample] {
    let types = HeartEvent.Kind.allCases.map { SamplePredicate.type(.category($0.type)) }
    return try await SampleQuery(.or(types)).result(for: store).value
  }

  @Test("are category samples of their session with threshold, rule, version and sync identity, and go with it")
  func commit() async throws {
    let session = try makeSession()
    let store = try HealthStore.open(folder.store, for: .recording)
    let events = [
      try event(.low, session, at: 0), try event(.high, session, at: 60, threshold: 120),
      try event(.irregular, session, at: 61, threshold: nil),
    ]
    #expect(try await store.commit(session, events: events) == .stored)
    let samples = try await stored(store)
    #expect(
      samples.map(\.type.identifier) == [
        "lowHeartRateEvent", "highHeartRateEvent", "irregularHeartRhythmEvent",
      ])
    #expect(samples.map(\.metadata) == events.map(\.metadata) && samples.allSatisfy { $0.session == session.id })
    #expect(samples.map(\.syncIdentifier) == events.map { $0.syncIdentity(in: session.id).identifier })
    #expect(samples.allSatisfy { $0.device?.localIdentifier == session.device.localIdentifier && $0.value == 0 })
    #expect(try await store.check() == [])
    // The same again changes nothing, a longer form of the session replaces them.
    #expect(try await store.commit(session, events: events) == .unchanged)
    var longer = session
    longer.syncVersion += 1
    #expect(try await store.commit(longer, events: Array(events.prefix(1))) == .replaced)
    #expect(try await stored(store).map(\.syncIdentifier) == [events[0].syncIdentity(in: session.id).identifier])
    #expect(try await stored(store).first?.id != samples[0].id)
    #expect(try await store.check() == [])
    try await store.delete(session.id)
    #expect(try await stored(store).isEmpty)
    #expect(try await store.check() == [])
  }

  @Test("found again they change nothing; what is found no more goes, what is not looked for stays")
  func renewal() async throws {
    let session = try makeSession()
    let store = try HealthStore.open(folder.store, for: .writing)
    let first = try event(.low, session, at: 0)
    let other = try event(.high, session, at: 5, threshold: 120)
    _ = try await store.commit(session, events: [first, other])
    func renew(_ events: [HeartEvent], version: Int64? = nil) async throws -> EventRenewal? {
      try await store.renewEvents(
        of: session.id, as: version ?? session.syncVersion, kinds: [.low, .irregular], to: events)
    }
    let before = try await ChangeQuery(after: .start).result(for: store).value.anchor
    #expect(try await renew([first]) == EventRenewal(added: 0, removed: 0, kept: 1))
    #expect(try await ChangeQuery(after: .start).result(for: store).value.anchor == before)

    // A later version of the rule, and another threshold from the same start.
    let second = try event(.low, session, at: 0, version: 2)
    #expect(try await renew([second]) == EventRenewal(added: 1, removed: 1, kept: 0))
    let third = try event(.low, session, at: 0, threshold: 45, version: 2)
    let fourth = try event(.irregular, session, at: 9, threshold: nil)
    #expect(try await renew([third, fourth]) == EventRenewal(added: 2, removed: 1, kept: 0))
    #expect(try await stored(store).map(\.metadata) == [third, other, fourth].map(\.metadata))
    #expect(try await renew([third, fourth]) == EventRenewal(added: 0, removed: 0, kept: 2))
    #expect(try await renew([second, fourth]) == EventRenewal(added: 1, removed: 1, kept: 1))
    #expect(try await store.check() == [])

    #expect(try await renew([], version: session.syncVersion + 1) == nil)
    #expect(try await stored(store).count == 3)
    #expect(try await renew([]) == EventRenewal(added: 0, removed: 2, kept: 0))
    #expect(try await stored(store).map(\.type) == [.category(.highHeartRateEvent)])
    try await store.delete(session.id)
    #expect(try await renew([first]) == nil)
  }

  @Test("a scan that is killed leaves all of them or none: a commit that fails has changed nothing")
  func atomic() async throws {
    let session = try makeSession()
    let store = try HealthStore.open(folder.store, for: .writing)
    // Two events with one identity cannot be stored.
    let twice = [try event(.low, session, at: 0), try event(.low, session, at: 0, threshold: 41)]
    await #expect(throws: StoreError.self) { try await store.commit(session, events: twice) }
    #expect(try await store.syncVersion(of: session.id) == nil)
    #expect(try await stored(store).isEmpty)
    #expect(try await store.commit(session, events: Array(twice.prefix(1))) == .stored)
  }

  @Test("they are no sample that its program may delete by itself, and other programs' are left alone by a scan")
  func ownership() async throws {
    let session = try makeSession()
    let store = try HealthStore.open(folder.store, for: .writing)
    let event = try event(.low, session, at: 0)
    _ = try await store.commit(session, events: [event])
    let sample = try #require(try await stored(store).first)
    await #expect(throws: StoreError.self) { try await store.delete([sample.id], as: session.source.identifier) }
    let watch = SourceRevision(identifier: "org.example.Watch", name: "Watch")
    try await store.save(try NewSample(event.draft(in: session.id)), as: watch)
    #expect(
      try await store.renewEvents(of: session.id, as: session.syncVersion, kinds: [.low], to: [])
        == EventRenewal(added: 0, removed: 1, kept: 0))
    #expect(try await stored(store).map(\.source) == [watch])
  }
}
