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

  @Test("an anchor can be written as text and read, and other text is refused")
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
      "\(parts[0]):6:123456789", "\(parts[0]):99999999999999999999:1", "\(parts[0]):+6:\(parts[2])",
      "\(parts[0]):06:\(parts[2])", "\(parts[0].uppercased()):6:\(parts[2])", "\(anchor)\n", " \(anchor)",
    ] {
      #expect(ChangeAnchor(text) == nil, "\(text)")
    }
  }

  @Test("a text that was cut anywhere is no anchor, whatever its checksum is")
  func cutText() throws {
    let places = ([0, 1, 0x0ABC_DEF0, -1] as [Int32]).map {
      ChangeAnchor(.init(store: UUID(), number: 1234, digest: $0))
    }
    for anchor in places + [ChangeAnchor(token: UUID())] {
      let text = anchor.description
      #expect(ChangeAnchor(text) == anchor)
      for length in 0..<text.count {
        #expect(ChangeAnchor(String(text.prefix(length))) == nil, "\(text.prefix(length))")
      }
      for start in 1..<text.count { #expect(ChangeAnchor(String(text.dropFirst(start))) == nil) }
    }
  }

  @Test("a file that was copied or vacuumed keeps its anchors, until the two go different ways")
  func copied() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    _ = try await store.commit(try makeSession(beats: 20))
    let common = try await anchor(store)
    let connection = try Connection(folder.store, flags: SQLITE_OPEN_READWRITE)
    try connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(await code(common, store) == nil)
    try folder.write("copy.sqlite", folder.bytes(of: "store.sqlite"))
    let copy = try HealthStore.open("\(folder.path)/copy.sqlite", for: .writing)
    #expect(await code(common, copy) == nil)
    _ = try await store.commit(try makeSession(beats: 20))
    let ahead = try await anchor(store)
    #expect(await code(ahead, copy) == .lostAnchor)
    _ = try await copy.commit(try makeSession(beats: 20))
    #expect(await code(ahead, copy) == .lostAnchor)
    let other = try await anchor(copy)
    #expect(await code(other, store) == .lostAnchor)
    #expect(await code(common, copy) == nil)
    #expect(await code(common, store) == nil)
  }

  @Test("an anchor of another history is refused by the live query too, and its next question is as well")
  func live() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let foreign = ChangeAnchor(.init(store: UUID(), number: 1, digest: 1))
    var results = ChangeQuery(after: foreign).results(for: store).makeAsyncIterator()
    await #expect { _ = try await results.next() } throws: { ($0 as? StoreError)?.code == .foreignAnchor }
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

  @Test("a restored backup refuses later anchors, also after as many changes")
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
