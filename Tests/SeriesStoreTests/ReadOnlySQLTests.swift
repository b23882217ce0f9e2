import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("ReadOnlySQL")
struct ReadOnlySQLTests {
  let folder = TemporaryFolder()

  private func beats() throws -> ReadOnlySQL.Rows {
    try ReadOnlySQL(folder.store).rows(of: "SELECT time, rr_ms FROM beats")
  }

  @Test("rows keep the file open from which they are unpacked")
  func lifetime() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    _ = try await store.commit(try makeSession(beats: 500))
    var rows = try beats()
    var count = 0
    while try rows.next() != nil { count += 1 }
    #expect(count == 500)
  }
}
