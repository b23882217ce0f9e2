import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("By which clock a session is dated")
struct RecordedClockTests {
  private let folder = TemporaryFolder()
  private static let boot = UUID(uuidString: "00000000-0000-0001-0000-000000000002")!
  private static let year: Int64 = 365 * 86_400 * 1_000_000

  private static func clock(_ belief: ClockBelief, lead: Int64 = 7, isDoubtful: Bool = false) -> RecordedClock {
    RecordedClock(boot: boot, lead: lead, belief: belief, isDoubtful: isDoubtful)
  }

  private func store() throws -> HealthStore { try HealthStore.open(folder.store, for: .writing) }

  /// Everything of a session that has a time, in microseconds.
  private func times(of id: UUID, in store: HealthStore) async throws -> [Int64] {
    let summary = try await store.session(id.uuidString)
    let gaps = try await store.gaps(of: id).flatMap { [$0.start, $0.end] }
    let beats = try await store.beats(of: id)
    let isEvent = SamplePredicate.type(.category(.highHeartRateEvent))
    let events = try await SampleQuery(.and([.session(id), isEvent])).result(for: store)
    var times = [summary.start, summary.end] + gaps + beats.runs.map(\.map.anchor)
    times += try await store.markers(of: id).map(\.time)
    times += try await store.rates(of: id).map(\.time)
    times += events.value.flatMap { [$0.start, $0.end] }
    return times.map(\.microseconds)
  }

  private func session(_ seed: UInt64 = 1) throws -> (RecordedSession, HeartEvent) {
    var session = try makeSession(seed: seed)
    session.markers = [SessionMarker(time: session.start.advanced(byMicroseconds: 5), text: "♥")]
    let span = try #require(TimeSpan(start: session.start, end: session.start.advanced(byMicroseconds: 60_000_000)))
    return (session, HeartEvent(.high, over: span, threshold: 120, rule: .init(name: "test", version: 1)))
  }

  @Test("all that has a time moves by the same, and what belongs to the session has other identifiers")
  func move() async throws {
    let store = try store()
    let (session, event) = try session()
    _ = try await store.commit(session, events: [event], clock: Self.clock(.notSynchronised, isDoubtful: true))
    #expect(try await store.doubtfulCount() == 1)
    let before = try await times(of: session.id, in: store)
    let anchor = try await ChangeQuery(after: .start, predicate: .all).result(for: store).value.anchor
    let samples = try await SampleQuery(.all).result(for: store).value.map(\.id)
    for dating in 1...2 as ClosedRange<Int64> {
      let outcome = try await store.date([session.id, UUID()], by: -Self.year, as: .byHand, lead: nil)
      #expect(outcome.sessions == [session.id] && outcome.workouts.isEmpty && outcome.shift == -Self.year)
      #expect(try await times(of: session.id, in: store) == before.map { $0 - dating * Self.year })
      let clock = try #require(try await store.clock(of: session.id))
      #expect(clock.dating == dating && clock.shift == -dating * Self.year && clock.belief == .byHand)
      #expect(clock.lead == 7 - dating * Self.year && !clock.isDoubtful)
    }
    let summary = try await store.session(session.id.uuidString)
    #expect(summary.syncVersion == session.syncVersion)
    #expect(summary.metadata == session.metadata, "a program's dates stay")
    #expect(try await store.doubtfulCount() == 0)
    let changes = try await ChangeQuery(after: anchor, predicate: .all).result(for: store).value
    #expect(changes.sessions.map(\.id) == [session.id])
    let deleted = Set(changes.deleted.map(\.id))
    #expect(deleted.isSuperset(of: samples) && !deleted.contains(session.id), "one replacement, no deletion")
    #expect(changes.added.count == samples.count && Set(changes.added.map(\.id)).isDisjoint(with: samples))
    #expect(try await store.check() == [])
    await store.close()
  }

  @Test("a later version of the session, from its capture, is dated as the one before was")
  func rebuilt() async throws {
    let store = try store()
    let (session, event) = try session()
    _ = try await store.commit(session, events: [event], clock: Self.clock(.notSynchronised))
    _ = try await store.date([session.id], by: Self.year, as: .synchronised, lead: 7 + Self.year)
    let dated = try await times(of: session.id, in: store)
    #expect(try await store.commit(session, eventsBy: HeartEventRules()) == .unchanged)
    var rebuilt = session
    rebuilt.quality.algorithmVersion = 9
    #expect(try await store.commit(rebuilt, eventsBy: HeartEventRules()) == .replaced)
    #expect(try await times(of: session.id, in: store).first == dated.first)
    #expect(try await store.clock(of: session.id)?.belief == .synchronised)
    #expect(try await store.misdated(in: Self.boot, at: 7 + Self.year).isEmpty)
    // What is brought back after its deletion is dated by its capture.
    try await store.delete(session.id)
    #expect(try await store.date([session.id], by: Self.year, as: .byHand, lead: nil).sessions.isEmpty)
    #expect(try await store.commit(session, eventsBy: HeartEventRules()) == .deletedBefore)
    #expect(try await store.commit(session, eventsBy: HeartEventRules(), restore: true) == .stored)
    #expect(try await store.session(session.id.uuidString).start == session.start)
    #expect(try await store.clock(of: session.id) == nil)
    #expect(try await store.check() == [])
    await store.close()
  }

  @Test("only what nobody believed, of that boot, and further off than a second, is wrongly dated")
  func misdated() async throws {
    let store = try store()
    let clocks: [RecordedClock] = [
      Self.clock(.notSynchronised), Self.clock(.notKnown), Self.clock(.synchronised), Self.clock(.byHand),
      Self.clock(.notSynchronised, lead: 7 + 1_000_000),
      RecordedClock(boot: UUID(), lead: 7, belief: .notSynchronised, isDoubtful: false),
      RecordedClock(boot: Self.boot, lead: nil, belief: .notSynchronised, isDoubtful: false),
    ]
    var ids: [UUID] = []
    for (seed, clock) in clocks.enumerated() {
      let (session, _) = try session(UInt64(seed))
      ids.append(session.id)
      _ = try await store.commit(session, clock: clock)
    }
    let found = try await store.misdated(in: Self.boot, at: 7 + 2_000_000)
    #expect(found.map(\.object) == [ids[0], ids[1]] && found.map(\.shift) == [2_000_000, 2_000_000])
    #expect(try await store.clocks().count == clocks.count)
    let believed = try await store.session(ids[2].uuidString).end
    #expect(try await store.newestBelievedEnd() == believed)
    await store.close()
  }

  @Test("what is known of the last hundred boots is kept")
  func boots() async throws {
    let store = try store()
    #expect(try await store.clockBelief(in: Self.boot) == nil)
    try await store.remember(.notSynchronised, at: 7, in: Self.boot)
    try await store.remember(.synchronised, at: 8, in: Self.boot)
    let found = try #require(try await store.clockBelief(in: Self.boot))
    #expect(found.belief == .synchronised && found.lead == 8)
    for _ in 0..<100 { try await store.remember(.synchronised, at: 9, in: UUID()) }
    #expect(try await store.clockBelief(in: Self.boot) == nil)
    #expect(try await store.check() == [])
    await store.close()
  }

  @Test("a store from before there were clocks is read as it is, and has them when it is written")
  func olderFile() async throws {
    let (session, event) = try session()
    let first = try store()
    _ = try await first.commit(session, events: [event])
    await first.close()
    do { try Connection.undefended(folder.store).execute("DROP TABLE clocks; DROP TABLE boots") }
    let reader = try HealthStore.open(folder.store, for: .reading)
    #expect(try await reader.clock(of: session.id) == nil)
    #expect(try await reader.clocks().isEmpty)
    #expect(try await reader.doubtfulCount() == 0)
    #expect(try await reader.clockBelief(in: Self.boot) == nil)
    #expect(try await reader.check() == [])
    #expect(try await reader.history(after: .start, limit: 100).changes.count > 1)
    await reader.close()
    let writer = try store()
    _ = try await writer.date([session.id], by: Self.year, as: .byHand, lead: nil)
    #expect(try await writer.session(session.id.uuidString).start == session.start.advanced(byMicroseconds: Self.year))
    #expect(try await writer.clock(of: session.id)?.belief == .byHand)
    await writer.close()
  }

  @Test("a copy of the history has them, and an altered one is named")
  func history() async throws {
    let store = try store()
    let (session, event) = try session()
    _ = try await store.commit(session, events: [event], clock: Self.clock(.notSynchronised, isDoubtful: true))
    _ = try await store.date([session.id], by: Self.year, as: .synchronised, lead: 7 + Self.year)
    let history = try await store.history(after: .start, limit: 100)
    let rows = try #require(history.changes.last { $0.object == session.id }).rows.map(\.table)
    #expect(rows.prefix(3) == ["sessions", "clocks", "gaps"], "digests are made in the order of the names")
    await store.close()
    do { try Connection.undefended(folder.store).execute("UPDATE clocks SET shift = 0") }
    let reader = try HealthStore.open(folder.store, for: .reading)
    #expect(try await reader.alterations(of: session.id).count == 1)
    #expect(try await !reader.check().isEmpty)
    await reader.close()
  }
}
