import FoundationEssentials
import Glibc
import HealthModel
import StoreSamples
import TestSupport
import Testing

@testable import SeriesStore

@Suite("A state of a store for a backup")
struct StoreSnapshotTests {
  private let folder = TemporaryFolder()

  /// Copies a state to a file, and counts the portions.
  private func copy(_ snapshot: StoreSnapshot, to name: String, during: () throws -> Void = {}) throws {
    try snapshot.withCopy(at: "\(folder.path)/hidden") { _, _ in
      try during()
    } _: { descriptor, size in
      #expect(unsafe access("\(folder.path)/hidden", F_OK) != 0, "its name is gone while it is read")
      var bytes = [UInt8](repeating: 0, count: size)
      #expect(unsafe pread(descriptor, &bytes, size, 0) == size)
      try folder.write(name, bytes)
    }
  }

  @Test("a copy is the state of the beginning, whatever is written between its portions, and no writer waits")
  func state() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    _ = try await store.commit(try makeSession(beats: 20))
    // Enough for several portions: a plain table of somebody else.
    try Connection.undefended(folder.store).execute(
      """
      CREATE TABLE filler (x);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 800)
        INSERT INTO filler SELECT zeroblob(15000) FROM n;
      """)
    let snapshot = try StoreSnapshot(of: folder.store)
    var portions = 0
    let other = try Connection.undefended(folder.store)
    other.waitForLocks(milliseconds: 0)
    try copy(snapshot, to: "copy.sqlite") {
      portions += 1
      try other.execute("UPDATE filler SET x = \(portions) WHERE rowid = \(portions)")
    }
    #expect(portions > 2)
    let copied = try Connection.undefended("\(folder.path)/copy.sqlite")
    #expect(try copied.integer("SELECT count(*) FROM filler WHERE length(x) = 15000") == 800)
    #expect(try other.integer("SELECT count(*) FROM filler WHERE x = \(portions)") == 1)
    #expect(try copied.changeList.last() == snapshot.change)
    let reader = try HealthStore.open("\(folder.path)/copy.sqlite", for: .reading)
    #expect(try await reader.sessions().count == 1)
  }

  @Test("a file that a later state does not name was deleted meanwhile, and is else missing")
  func attachments() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let glasses = VisionPrescription.glasses(
      GlassesPrescription(rightEye: nil, leftEye: GlassesLensSpecification(sphere: 1)))
    let sample = try NewSample(glasses, issued: Timestamp(microseconds: 5))
    try await store.save([sample], as: SourceRevision(identifier: "clinic", name: "Clinic"))
    let scan = try folder.write("scan.pdf", "%PDF-1.4\nstartxref\n9\n%%EOF\n")
    let descriptor = unsafe open(scan, O_RDONLY)
    defer { close(descriptor) }
    _ = try await store.addAttachment(to: sample.id, name: "scan.pdf", from: descriptor)
    let snapshot = try StoreSnapshot(of: folder.store)
    let name = try #require(snapshot.attachments.first)
    var size = 0
    let isThere = try snapshot.readAttachment(name) { size = $1 }
    #expect(isThere && size == 27)
    unsafe unlink("\(folder.path)/store.attachments/\(name)")
    let isThereStill = try snapshot.readAttachment(name) { _, _ in Issue.record("it is gone") }
    #expect(!isThereStill)
    #expect(try snapshot.isNamedNow(name))
    try Connection.undefended(folder.store).execute("DELETE FROM attachments")
    #expect(try !snapshot.isNamedNow(name))
    #expect(snapshot.attachments == [name])
  }
}
