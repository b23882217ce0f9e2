import CSQLite
import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

/// Content of a newer program: kinds and types that this one does not know.
@Suite("Unknown kinds and types")
struct UnknownKindTests {
  let folder = TemporaryFolder()
  private let program = SourceRevision(identifier: "test", name: "Test")

  /// A store with a sample of this program and one of a future kind, whose content is in its own table.
  private func store() async throws -> (store: HealthStore, known: UUID, unknown: UUID) {
    let store = try HealthStore.open(folder.store, for: .writing)
    let beats = try #require(NewSample(heartbeats: try makeSession(beats: 20).heartbeats))
    try await store.save([beats], as: program)
    let unknown = UUID()
    try FutureContent.prepare(folder.store)
    let sample = NewSample(
      FutureContent(), of: SampleType(identifier: "skiDescent", kind: FutureContent.kind),
      over: try #require(TimeSpan(start: Timestamp(microseconds: 5), end: Timestamp(microseconds: 9))), id: unknown,
      device: Device(name: "Watch"), metadata: ["snow": "powder"],
      sync: SyncIdentity(identifier: "one", version: 1))
    try await store.save(sample, as: SourceRevision(identifier: "ski", name: "Ski"))
    return (store, beats.id, unknown)
  }

  @Test("a sample of an unknown kind is shown as the file describes it, beside the others")
  func shown() async throws {
    let (store, known, unknown) = try await store()
    let samples = try await SampleQuery(order: [.init(.change)]).result(for: store).value
    #expect(samples.map(\.id) == [known, unknown])
    let sample = try #require(samples.last)
    #expect(sample.type.identifier == "skiDescent" && sample.type.kind.rawValue == "descent" && sample.count == 3)
    #expect(sample.start.microseconds == 5 && sample.end.microseconds == 9 && sample.source.identifier == "ski")
    #expect(sample.device?.name == "Watch" && sample.metadata == ["snow": "powder"] && sample.syncIdentifier == "one")
    let predicate = SamplePredicate.and([.type(sample.type), .hasMetadata("snow"), .source("ski")])
    #expect(try await SampleQuery(predicate).result(for: store).value.map(\.id) == [unknown])
    #expect(try await ChangeQuery(after: .start).result(for: store).value.added.count == 2)
  }

  @Test("it damages nothing, and SQL lists it")
  func unharmed() async throws {
    let (store, _, _) = try await store()
    #expect(try await store.check() == [])
    var rows = try ReadOnlySQL(folder.store).rows(
      of: "SELECT kind, type, count FROM sample_list ORDER BY count LIMIT 1")
    #expect(try rows.next() == [.text("descent"), .text("skiDescent"), .integer(3)])
  }

  @Test("a changed row of its own table is named")
  func changed() async throws {
    let (store, _, unknown) = try await store()
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute("UPDATE descents SET height = 4 WHERE place = 1")
    let damages = try await store.check()
    let name = unknown.uuidString.lowercased().filter { $0 != "-" }
    #expect(
      damages == [StoreDamage(object: "sample \(name)", problem: "row 2, 1 of descents is not as it was written")])
  }

  @Test(
    "deleting it leaves no row of it, in tables that this program does not know either, and a tombstone with its type")
  func deleted() async throws {
    let (store, _, unknown) = try await store()
    try await store.delete([unknown], as: "ski")
    let connection = try Connection(folder.store, flags: SQLITE_OPEN_READONLY)
    #expect(try connection.integer("SELECT count(*) FROM descents") == 0)
    let changes = try await ChangeQuery(after: .start).result(for: store).value
    #expect(changes.deleted.map(\.type?.identifier) == ["skiDescent"] && changes.deleted.map(\.source) == ["ski"])
    #expect(try await store.check() == [])
  }

  @Test(
    "a later layout that lets this program read is read, and one that does not is refused, also where the file is open")
  func laterLayout() async throws {
    let (store, known, _) = try await store()
    let later = try Connection(folder.store, flags: SQLITE_OPEN_READWRITE)
    try later.execute("UPDATE store SET min_writer = 7; PRAGMA user_version = 7")
    let code = StoreError.Code.newerVersion(found: 7, supported: Int(Schema.version))
    await #expect { try await store.delete([known], as: "test") } throws: { ($0 as? StoreError)?.code == code }
    await #expect { try await store.commit(try makeSession()) } throws: { ($0 as? StoreError)?.code == code }
    #expect(try await SampleQuery().result(for: store).value.count == 2)
    #expect(try await SampleQuery().result(for: HealthStore.open(folder.store, for: .reading)).value.count == 2)
    #expect { try HealthStore.open(folder.store, for: .writing) } throws: { ($0 as? StoreError)?.code == code }
    try later.execute("UPDATE store SET min_reader = 7")
    await #expect { try await SampleQuery().result(for: store) } throws: { ($0 as? StoreError)?.code == code }
    #expect { try HealthStore.open(folder.store, for: .reading) } throws: { ($0 as? StoreError)?.code == code }
  }
}
