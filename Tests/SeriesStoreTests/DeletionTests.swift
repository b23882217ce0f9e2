import CSQLite
import FoundationEssentials
import Glibc
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Deleting for good")
struct DeletionTests {
  let folder = TemporaryFolder()

  /// The parts of a file's bytes that would identify a session: its packed blobs, its texts, its UUID.
  private func patterns(of session: RecordedSession) throws -> [[UInt8]] {
    let connection = try Connection(folder.store, flags: SQLITE_OPEN_READONLY)
    var statement = try connection.prepare(
      """
      SELECT chunk.payload FROM chunks AS chunk JOIN samples AS sample ON sample.id = chunk.id >> 20
      JOIN changes AS session ON session.number = sample.session WHERE session.uuid = ?1
      """)
    try statement.bind(session.id.bytes, at: 1)
    var patterns: [[UInt8]] = ["Zaphod's strap", "a very private remark"].map { Array($0.utf8) }
    while try statement.step() {
      let payload = statement.bytes(0)
      // Windows all over the blob: a rest of any sixteen bytes that survived is found.
      for start in stride(from: 0, to: payload.count - 16, by: max(1, payload.count / 40)) {
        patterns.append(Array(payload[start..<start + 16]))
      }
    }
    return patterns
  }

  private func found(_ patterns: [[UInt8]]) -> Int {
    let files = folder.names.map { folder.bytes(of: $0) }
    return patterns.count { pattern in files.contains { Self.holds($0, pattern) } }
  }

  /// Whether the pattern is anywhere in the bytes, with the C library: a debug build would take a minute for it.
  private static func holds(_ bytes: [UInt8], _ pattern: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      var position = 0
      while position + pattern.count <= bytes.count {
        let left = bytes.count - pattern.count + 1 - position
        guard let found = unsafe memchr(start + position, Int32(pattern[0]), left) else { return false }
        if unsafe memcmp(found, pattern, pattern.count) == 0 { return true }
        position = unsafe UnsafeRawPointer(found) - start + 1
      }
      return false
    }
  }

  private func secretSession() throws -> RecordedSession {
    var session = try makeSession(seed: 3, beats: 3000)
    session.metadata["note"] = "a very private remark"
    session.device.name = "Zaphod's strap"
    return session
  }

  @Test("no sixteen bytes of a deleted session's blobs are left in any file, whatever was stored around it")
  func noBytes() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    for seed in 10..<14 as Range<UInt64> { _ = try await store.commit(try makeSession(seed: seed, beats: 500)) }
    let session = try secretSession()
    _ = try await store.commit(session)
    for seed in 20..<24 as Range<UInt64> { _ = try await store.commit(try makeSession(seed: seed, beats: 500)) }
    let patterns = try patterns(of: session)
    #expect(patterns.count > 60 && found(patterns) == patterns.count)
    try await store.delete(session.id)
    #expect(found(patterns) == 0)
    #expect(try await store.check() == [])
    #expect(try await !store.finishErasing())
  }

  @Test("a reader of an old state keeps the bytes in the log, the error says so, and the next writer erases them")
  func oldSnapshot() async throws {
    let session = try secretSession()
    let patterns: [[UInt8]]
    do {
      let store = try HealthStore.open(folder.store, for: .writing)
      _ = try await store.commit(session)
      patterns = try self.patterns(of: session)
      let reader = try Connection(folder.store, flags: SQLITE_OPEN_READONLY)
      try reader.execute("BEGIN")
      _ = try reader.integer("SELECT count(*) FROM sessions")
      // Without the ten seconds of patience.
      try await store.hurry()
      await #expect { try await store.delete(session.id) } throws: { error in
        (error as? StoreError)?.code == .locked && "\(error)".contains("delete again")
      }
      #expect(try await store.sessions().isEmpty, "it is deleted all the same")
      #expect(found(patterns) > 0)
      try reader.execute("COMMIT")
      #expect(try await store.finishErasing())
      #expect(found(patterns) == 0)
      // The same again, and nobody finishes it: the next recorder does.
      _ = try await store.commit(session, restore: true)
      try reader.execute("BEGIN")
      _ = try reader.integer("SELECT count(*) FROM sessions")
      try? await store.delete(session.id)
      #expect(found(patterns) > 0)
      try reader.execute("COMMIT")
    }
    let recorder = try HealthStore.open(folder.store, for: .recording)
    #expect(found(patterns) == 0)
    #expect(try await !recorder.finishErasing())
    #expect(try await recorder.commit(session) == .deletedBefore)
    #expect(try await recorder.commit(session, restore: true) == .stored)
  }

  @Test("a sample whose identifier is damaged goes with its session all the same")
  func damagedIdentifier() async throws {
    let session = try secretSession()
    let store = try HealthStore.open(folder.store, for: .writing)
    _ = try await store.commit(session)
    let patterns = try patterns(of: session)
    let writer = try Connection(folder.store, flags: SQLITE_OPEN_READWRITE)
    try writer.execute("UPDATE changes SET uuid = x'00' WHERE number IN (SELECT sample FROM heartbeat_series)")
    try await store.delete(session.id)
    for table in [
      "samples", "sessions", "chunks", "summaries", "runs", "heartbeat_series", "metadata_values", "associations",
      "devices",
    ] {
      #expect(try writer.integer("SELECT count(*) FROM \(table)") == 0, "\(table)")
    }
    #expect(found(patterns) == 0)
    #expect(
      try await ChangeQuery(after: .start).result(for: store).value.deleted.count == 5, "four samples and the session")
    #expect(try await store.check().map(\.object) == ["change 3"], "whose identifier is damaged")
  }

  @Test("deleting the last sample of a device removes the device's name; deleting no sample writes nothing")
  func deviceOfSample() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let beats = try makeSession(beats: 20).heartbeats
    let sample = try #require(NewSample(heartbeats: beats, device: Device(name: "Zaphod's strap")))
    try await store.save([sample], as: SourceRevision(identifier: "test", name: "Marvin's program"))
    let writer = try Connection(folder.store, flags: SQLITE_OPEN_READONLY)
    let version = try writer.integer("PRAGMA data_version")
    try await store.delete([], as: "test")
    #expect(try writer.integer("PRAGMA data_version") == version)
    try await store.delete([sample.id], as: "test")
    #expect(try writer.integer("SELECT count(*) FROM devices") == 0)
    #expect(found(["Zaphod's strap", "Marvin's program"].map { Array($0.utf8) }) == 0)
  }

  @Test("change numbers have no gaps, and tombstones stay, however often something is stored and deleted")
  func changes() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let session = try makeSession(beats: 20)
    for _ in 0..<3 {
      _ = try await store.commit(session, restore: true)
      try await store.delete(session.id)
    }
    let connection = try Connection(folder.store, flags: SQLITE_OPEN_READONLY)
    let count = try connection.integer("SELECT count(*) FROM changes")
    #expect(try connection.integer("SELECT max(number) FROM changes") == count)
    #expect(try connection.integer("SELECT min(number) FROM changes") == 1)
    let all = try await ChangeQuery(after: .start).result(for: store).value
    #expect(all.deleted.count { $0.isSession } == 3)
    #expect(all.added.isEmpty && all.anchor.place?.number == count)
  }
}

extension HealthStore {
  /// Does not wait for the locks of others.
  func hurry() throws {
    try opened().connection.waitForLocks(milliseconds: 0)
  }
}
