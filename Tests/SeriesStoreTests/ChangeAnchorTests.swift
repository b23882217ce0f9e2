import CSQLite
import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Anchors")
struct ChangeAnchorTests {
  let folder = TemporaryFolder()

  private func anchor(_ store: HealthStore) async throws -> ChangeAnchor {
    try await ChangeQuery(after: .start).result(for: store).value.anchor
  }

  private func code(_ anchor: ChangeAnchor, _ store: HealthStore) async -> StoreError.Code? {
    do throws(StoreError) {
      _ = try await ChangeQuery(after: anchor).result(for: store)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("an anchor survives as text, and what is none is not read")
  func text() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    #expect(try await anchor(store) == .start)
    _ = try await store.commit(try makeSession(beats: 20))
    let anchor = try await anchor(store)
    #expect(ChangeAnchor(anchor.description) == anchor && ChangeAnchor("start") == .start)
    #expect(await code(anchor, store) == nil)
    let parts = anchor.description.split(separator: ":")
    for text in [
      "", "6", "start ", "x:6:1", "\(parts[0]):0:1", "\(parts[0]):-1:1", "\(parts[0]):6", "\(parts[0]):6:1:",
      "\(parts[0]):6:123456789", "\(parts[0]):99999999999999999999:1",
    ] {
      #expect(ChangeAnchor(text) == nil, "\(text)")
    }
  }

  @Test("an anchor of another store is refused by name")
  func foreign() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let other = try HealthStore.open("\(folder.path)/other.sqlite", for: .writing)
    let session = try makeSession(beats: 20)
    _ = try await store.commit(session)
    _ = try await other.commit(session)
    let anchor = try await anchor(other)
    #expect(await code(anchor, store) == .foreignAnchor)
  }

  @Test("a backup that was put back refuses what came after it, also when as much has happened since")
  func restored() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    _ = try await store.commit(try makeSession(beats: 20))
    let common = try await anchor(store)
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE)
      .execute("VACUUM INTO '\(folder.path)/backup.sqlite'")
    let last = try makeSession(beats: 20)
    _ = try await store.commit(try makeSession(beats: 20))
    _ = try await store.commit(last)
    let ahead = try await anchor(store)
    let backup = try HealthStore.open("\(folder.path)/backup.sqlite", for: .writing)
    #expect(await code(ahead, backup) == .lostAnchor)
    #expect(await code(common, backup) == nil)
    // The same last change, but behind others than the caller has seen.
    _ = try await backup.commit(try makeSession(beats: 20))
    _ = try await backup.commit(last)
    #expect(try await anchor(backup).place?.number == ahead.place?.number)
    #expect(await code(ahead, backup) == .lostAnchor)
    #expect(await code(common, backup) == nil)
  }

  @Test("erasing what was deleted keeps every anchor")
  func erased() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let session = try makeSession(beats: 20)
    _ = try await store.commit(session)
    let before = try await anchor(store)
    try await store.delete(session.id)
    let after = try await anchor(store)
    #expect(await code(before, store) == nil)
    #expect(await code(after, store) == nil)
    let deleted = try await ChangeQuery(after: before).result(for: store).value.deleted
    #expect(deleted.count == 6 && deleted.allSatisfy { $0.source == "sensord" })
    #expect(deleted.last?.type == .session && deleted.last?.isSession == true)
  }
}
