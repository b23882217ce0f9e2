import CSQLite
import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Markers of sessions")
struct SessionMarkerTests {
  private let folder = TemporaryFolder()

  private func marked() throws -> RecordedSession {
    var session = try makeSession()
    session.markers = [
      SessionMarker(time: session.start.advanced(byMicroseconds: 5), text: "Level \"2\" \u{1B}[2J"),
      SessionMarker(time: session.start.advanced(byMicroseconds: 5), text: ""),
      SessionMarker(time: session.end, text: "♥"),
    ]
    return session
  }

  @Test("are stored with their session, listed in a view, and deleted with it")
  func stored() async throws {
    let session = try marked()
    let store = try HealthStore.open(folder.store, for: .recording)
    #expect(try await store.commit(session) == .stored)
    #expect(try await store.markers(of: session.id) == session.markers)
    let reader = try HealthStore.open(folder.store, for: .reading)
    #expect(try await reader.markers(of: session.id) == session.markers)
    let sql = try Connection.undefended(folder.store)
    let name = session.id.uuidString.lowercased().filter { $0 != "-" }
    #expect(try sql.integer("SELECT count(*) FROM marker_list WHERE session = '\(name)' AND time_us > 0") == 3)
    #expect(try await store.check() == [])
    var longer = session
    longer.syncVersion += 1
    longer.markers = [SessionMarker(time: session.start, text: "only")]
    #expect(try await store.commit(longer) == .replaced)
    #expect(try await store.markers(of: session.id) == longer.markers)
    try await store.delete(session.id)
    #expect(try sql.integer("SELECT count(*) FROM markers") == 0)
    #expect(try await store.check() == [])
  }

  @Test(
    "that were changed, are missing or belong to no session are found by a check",
    arguments: [
      "UPDATE markers SET text = 'x' WHERE ordinal = 2", "DELETE FROM markers WHERE ordinal = 0",
      "INSERT INTO markers VALUES (999, 0, 1, 'x', row_checksum(999, 0, 1, 'x'))",
    ])
  func checked(statement: String) async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    _ = try await store.commit(try marked())
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute(statement)
    #expect(try await store.check().count == 1)
  }

  @Test("a file from before there were any is read and checked as it is, and gets their table when it is written")
  func earlierFile() async throws {
    let session = try makeSession()
    do {
      let store = try HealthStore.open(folder.store, for: .writing)
      _ = try await store.commit(session)
      await store.close()
    }
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute("DROP VIEW marker_list; DROP TABLE markers")
    do {
      let reader = try HealthStore.open(folder.store, for: .reading)
      #expect(try await reader.markers(of: session.id).isEmpty)
      #expect(try await reader.check().allSatisfy { $0.problem.contains("marker_list is not this program's") })
      await reader.close()
    }
    let store = try HealthStore.open(folder.store, for: .writing)
    #expect(try await store.check() == [])
    try await store.delete(session.id)
    let marked = try marked()
    #expect(try await store.commit(marked) == .stored)
    #expect(try await store.markers(of: marked.id) == marked.markers)
  }
}
