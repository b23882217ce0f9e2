import CSQLite
import FoundationEssentials
import Glibc
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Opening a store")
struct StoreOpeningTests {
  let folder = TemporaryFolder()

  private func code(_ path: String, for access: HealthStore.Access = .reading) -> StoreError.Code? {
    do throws(StoreError) {
      _ = try HealthStore.open(path, for: access)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("a missing store is an error for a reader and is created by a writer, readable by its user alone")
  func missing() throws {
    #expect(code(folder.store) == .missing)
    #expect(code("\(folder.path)/no/store.sqlite") == .missing)
    #expect(folder.names == [])
    #expect(code(folder.store, for: .writing) == nil)
    #expect(folder.mode(of: "store.sqlite") == 0o600)
    #expect(code(folder.store) == nil)
    #expect(code("\(folder.path)/no/store.sqlite", for: .writing) == .cannotCreate)
  }

  @Test("a service's store and its log are open to the group")
  func mode() async throws {
    let store = try HealthStore.open(folder.store, for: .recording, mode: 0o640)
    _ = try await store.commit(try makeSession())
    for name in folder.names { #expect(folder.mode(of: name) == 0o640, "\(name)") }
  }

  @Test("a store that root makes in another user's folder is that user's, with its log")
  func owner() async throws {
    // Only root can give a folder away; for anybody else it is their own, and so is the store.
    let owner: UInt32 = geteuid() == 0 ? 65_534 : geteuid()
    #expect(unsafe chown(folder.path, owner, gid_t.max) == 0)
    let store = try HealthStore.open(folder.store, for: .writing, mode: 0o640)
    _ = try await store.commit(try makeSession())
    for name in folder.names {
      var status = stat()
      #expect(unsafe stat("\(folder.path)/\(name)", &status) == 0)
      #expect(status.st_uid == owner && status.st_mode & 0o777 == 0o640, "\(name)")
    }
  }

  @Test("an opening reads no more pages of a long history than of a short one", arguments: [false, true])
  func pages(writes: Bool) async throws {
    var pages: [Int32] = []
    for count in [1, 20_000] {
      let path = "\(folder.path)/\(count).sqlite"
      do {
        let store = try HealthStore.open(path, for: .writing)
        let samples = (1...Int64(count)).map { second in
          NewSample(.sleepAnalysis, .awake, over: TimeSpan(at: Timestamp(microseconds: second * 1_000_000)))
        }
        try await store.save(samples, as: SourceRevision(identifier: "test", name: "Test"))
        await store.close()
      }
      let file = try StoreFile(path, for: writes ? .writing : .reading, mode: 0o600)
      var (current, highest) = (Int32(0), Int32(0))
      let code = unsafe sqlite3_db_status(
        file.connection.handle, SQLITE_DBSTATUS_CACHE_MISS, &current, &highest, 0)
      #expect(code == SQLITE_OK)
      pages.append(current)
    }
    #expect(pages[0] > 0 && pages[0] == pages[1])
  }

  @Test("a recorder keeps another out, by whatever link that comes")
  func oneRecorder() async throws {
    let store = try HealthStore.open(folder.store, for: .recording)
    let link = "\(folder.path)/link.sqlite"
    #expect(unsafe symlink(folder.store, link) == 0)
    #expect(code(link, for: .recording) == .locked)
    #expect(code(link) == nil && code(link, for: .writing) == nil)
    await store.close()
    let second = try HealthStore.open(link, for: .recording)
    #expect(code(folder.store, for: .recording) == .locked)
    await second.close()
    #expect(!folder.names.contains("link.sqlite-recorder"))
  }

  @Test("a store with two names is not written: each would have a log of its own")
  func hardLink() throws {
    _ = try HealthStore.open(folder.store, for: .writing)
    let copy = "\(folder.path)/copy.sqlite"
    #expect(unsafe link(folder.store, copy) == 0)
    for path in [folder.store, copy] {
      #expect(code(path, for: .writing) == .invalid)
      #expect(code(path, for: .recording) == .invalid)
      #expect(code(path) == nil)
    }
    #expect(unsafe unlink(copy) == 0)
    #expect(code(folder.store, for: .recording) == nil)
  }

  @Test("a name under which a store was made, and that its maker had no time to remove, is removed by the next one")
  func leftDraft() throws {
    _ = try HealthStore.open(folder.store, for: .writing)
    let draft = "\(folder.store).new-123"
    #expect(unsafe link(folder.store, draft) == 0)
    #expect(code(folder.store, for: .recording) == nil)
    #expect(!folder.names.contains("store.sqlite.new-123"))
  }

  @Test(
    "a file that is not a store gets no file beside it, and a pipe is not waited for",
    arguments: HealthStore.Access.each)
  func refused(access: HealthStore.Access) throws {
    try folder.write("notes.txt", Array("notes".utf8))
    #expect(code("\(folder.path)/notes.txt", for: access) == .notADatabase)
    #expect(folder.names == ["notes.txt"])
    let pipe = "\(folder.path)/pipe"
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    #expect(code(pipe, for: access) == .notADatabase)
    #expect(code(folder.path, for: access) == .notADatabase)
  }

  @Test("the log stays when the last writer goes, so that readers without the right to write can open the store")
  func persistentLog() async throws {
    let store = try HealthStore.open(folder.store, for: .recording)
    _ = try await store.commit(try makeSession())
    await store.close()
    #expect(folder.names == ["store.sqlite", "store.sqlite-recorder", "store.sqlite-shm", "store.sqlite-wal"])
  }

  @Test("a file that is a quarter empty is rewritten when its writer closes it, a fuller one is not")
  func freePages() async throws {
    for (pages, isWrittenAnew) in [(60, true), (8, false)] as [(Int64, Bool)] {
      let path = "\(folder.path)/free-\(pages).sqlite"
      await (try HealthStore.open(path, for: .writing)).close()
      do {
        let other = try Connection(path, flags: SQLITE_OPEN_READWRITE)
        try other.execute("CREATE TABLE filler (value); INSERT INTO filler VALUES (zeroblob(\(pages) * 16384))")
        try other.execute("DROP TABLE filler")
      }
      let before = try Connection(path, flags: SQLITE_OPEN_READONLY).integer("PRAGMA freelist_count")
      #expect(before >= pages)
      let store = try HealthStore.open(path, for: .writing)
      #expect(try Connection(path, flags: SQLITE_OPEN_READONLY).integer("PRAGMA freelist_count") == before)
      _ = try await store.commit(try makeSession())
      await store.close()
      let after = try Connection(path, flags: SQLITE_OPEN_READONLY)
      #expect(try (after.integer("PRAGMA freelist_count") == 0) == isWrittenAnew)
      #expect(try after.integer("SELECT count(*) FROM sessions") == 1)
    }
  }

  @Test("a file that is no database, an empty one, and another program's database are refused and left alone")
  func foreign() throws {
    for (name, bytes) in [
      ("text", Array("hello, I am a diary\n".utf8)), ("zero", [UInt8](repeating: 0, count: 40_000)),
    ] {
      try folder.write(name, bytes)
      for access in [HealthStore.Access.reading, .writing, .recording] {
        #expect(code("\(folder.path)/\(name)", for: access) == .notADatabase, "\(name) \(access)")
      }
      #expect(folder.bytes(of: name) == bytes)
    }
    try folder.write("empty", [])
    #expect(code("\(folder.path)/empty", for: .writing) == .notADatabase)
    #expect(code("\(folder.path)/empty") == .notADatabase)
    #expect(folder.bytes(of: "empty") == [])
  }

  @Test("a store of a newer layout is refused and left alone")
  func newer() async throws {
    do {
      let store = try HealthStore.open(folder.store, for: .writing)
      await store.close()
    }
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE)
      .execute(
        "UPDATE store SET min_reader = 98, min_writer = 99; PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)")
    let bytes = folder.bytes(of: "store.sqlite")
    #expect(code(folder.store) == .newerVersion(found: 98, supported: 2))
    for access in [HealthStore.Access.writing, .recording] {
      #expect(code(folder.store, for: access) == .newerVersion(found: 99, supported: 2))
    }
    #expect(folder.bytes(of: "store.sqlite") == bytes)
  }

  @Test("a store of layout 1 is refused by name, with the remedy, and left alone", arguments: HealthStore.Access.each)
  func older(access: HealthStore.Access) throws {
    var page = Array("SQLite format 3\0".utf8)
    page += [0x02, 0x00, 1, 1, 0, 64, 32, 32]  // pages of 512 bytes, of a plain journal
    page += [0, 0, 0, 1, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8) + [0, 0, 0, 1, 0, 0, 0, 4]  // one page; format 4
    page += [UInt8](repeating: 0, count: 8) + [0, 0, 0, 1, 0, 0, 0, 1]  // UTF-8; user_version
    page += [0, 0, 0, 0] + Array("sens".utf8) + [UInt8](repeating: 0, count: 20) + [0, 0, 0, 1, 0, 46, 0x78, 0x98]
    page += [13, 0, 0, 0, 0, 2, 0, 0]  // no table
    page += [UInt8](repeating: 0, count: 512 - page.count)
    try folder.write("store.sqlite", page)
    #expect {
      try HealthStore.open(folder.store, for: access)
    } throws: { error in
      let error = error as? StoreError
      return error?.code == .olderVersion(found: 1, supported: 2)
        && error?.message.contains("has layout 1") == true && error?.message.contains("move it away") == true
    }
    #expect(folder.names == ["store.sqlite"] && folder.bytes(of: "store.sqlite") == page)
  }

  @Test("one recorder at a time, with readers and writers beside it")
  func recorderLock() async throws {
    let recorder = try HealthStore.open(folder.store, for: .recording)
    #expect(code(folder.store, for: .recording) == .locked)
    #expect(code(folder.store, for: .writing) == nil)
    #expect(code(folder.store, for: .reading) == nil)
    await recorder.close()
    #expect(code(folder.store, for: .recording) == nil)
  }

  @Test("a damaged chunk is named, and everything else stays readable")
  func damagedChunk() async throws {
    let good = try makeSession(seed: 1)
    let bad = try makeSession(seed: 2)
    let store = try HealthStore.open(folder.store, for: .writing)
    _ = try await store.commit(good)
    _ = try await store.commit(bad)
    try damageLastChunk()
    #expect(try await store.beats(of: good.id) == good.heartbeats)
    #expect(try await store.rates(of: bad.id) == bad.rates)
    #expect(try await store.sessions().count == 2)
    await #expect { _ = try await store.beats(of: bad.id) } throws: {
      ($0 as? StoreError)?.code == .corrupt(object: "session \(bad.id.uuidString.lowercased())")
    }
  }

  /// Flips one bit in the beats of the session that was stored last.
  private func damageLastChunk() throws {
    let connection = try Connection(folder.store, flags: SQLITE_OPEN_READWRITE)
    let row = try connection.integer("SELECT max(id) FROM chunks")
    var bytes: [UInt8]
    do {
      var read = try connection.prepare("SELECT payload FROM chunks WHERE id = ?1")
      try read.bind(row, at: 1)
      _ = try read.step()
      bytes = read.bytes(0)
    }
    bytes[bytes.count / 2] ^= 0x10
    var write = try connection.prepare("UPDATE chunks SET payload = ?2 WHERE id = ?1")
    try write.bind(row, at: 1)
    try write.bind(bytes, at: 2)
    try write.run()
  }

  @Test("a copy without its log is read where nothing can be made beside it, whatever it is called")
  func frozenCopy() async throws {
    let session = try makeSession()
    _ = try await HealthStore.open(folder.store, for: .writing).commit(session)
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let copies = TemporaryFolder()
    try copies.write("a copy? 100%20 #é.sqlite", folder.bytes(of: "store.sqlite"))
    let path = copies.path + "/a copy? 100%20 #é.sqlite"
    // Root makes files everywhere, so that this half says something to other users only.
    try #require(unsafe chmod(copies.path, 0o555) == 0)
    defer { _ = unsafe chmod(copies.path, 0o755) }
    #expect(try await HealthStore.open(path, for: .reading).sessions().map(\.id) == [session.id])

    let frozen = try Connection(frozen: path)
    #expect(try frozen.integer("SELECT count(*) FROM sessions") == 1)
    #expect(throws: StoreError.self) { try Connection(frozen: path + "x").integer("SELECT count(*) FROM sessions") }
  }

  @Test("a folder is no store")
  func folderForAStore() throws {
    #expect { try HealthStore.open(folder.path, for: .reading) } throws: { ($0 as? StoreError)?.code == .notADatabase }
  }
}

extension HealthStore.Access {
  fileprivate static let each: [HealthStore.Access] = [.reading, .writing, .recording]
}
