import FoundationEssentials
import StoreSamples
import TestSupport
import Testing

@testable import SeriesStore

/// The mark by which a copy elsewhere knows a new line of history.
@Suite("A restored store's mark")
struct RestorationTests {
  private let folder = TemporaryFolder()

  @Test("each restore adds a new mark with the last change of then")
  func marks() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    #expect(try await store.restorations() == [])
    await store.close()
    try mark()
    let restored = try HealthStore.open(folder.store, for: .writing)
    _ = try await restored.commit(try makeSession(beats: 20))
    await restored.close()
    let last = try Connection(folder.store, flags: 1).changeList.last()
    try mark()
    let reader = try HealthStore.open(folder.store, for: .reading)
    let marks = try await reader.restorations()
    #expect(marks.map(\.change) == [0, last] && last > 0)
    #expect(Set(marks.map(\.id)).count == 2)
    #expect(try await reader.check() == [])
    await reader.close()
  }

  @Test("a file from before there were marks has none, and gets their table when it is written")
  func olderFile() async throws {
    await (try HealthStore.open(folder.store, for: .writing)).close()
    do { try Connection.undefended(folder.store).execute("DROP TABLE restorations") }
    let reader = try HealthStore.open(folder.store, for: .reading)
    #expect(try await reader.restorations() == [])
    await reader.close()
    await (try HealthStore.open(folder.store, for: .writing)).close()
    try mark()
    #expect(try Connection(folder.store, flags: 1).integer("SELECT count(*) FROM restorations") == 1)
  }

  private func mark() throws {
    let file = try StoreFile(folder.store, for: .writing, mode: 0o600)
    try file.write { (connection) throws(StoreError) in try connection.addRestoration() }
  }
}
