import CSQLite
import FoundationEssentials
import Glibc
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("A store that is observed")
struct StoreObservationTests {
  let folder = TemporaryFolder()
  let program = SourceRevision(identifier: "test", name: "Test")

  private func sample(at second: Int64 = 1) throws -> NewSample {
    let time = Timestamp(microseconds: second * 1_000_000)
    var builder = QuantitySeriesBuilder(type: .heartRate, start: time)
    try builder.insert(60, from: time, to: time)
    return try builder.finish()
  }

  private func copyStore(to name: String) throws {
    try Connection(folder.store, flags: SQLITE_OPEN_READWRITE).execute("VACUUM INTO '\(folder.path)/\(name)'")
  }

  private func replaceStore(with name: String) {
    for suffix in ["-wal", "-shm"] { unsafe unlink(folder.store + suffix) }
    #expect(unsafe rename("\(folder.path)/\(name)", folder.store) == 0)
  }

  @Test("commits of another connection are reported without a call, each by itself", arguments: [true, false])
  func otherConnection(isReader: Bool) async throws {
    let writer = try HealthStore.open(folder.store, for: .writing)
    let store = try HealthStore.open(folder.store, for: isReader ? .reading : .writing, observing: true)
    var results = ChangeQuery(after: .start).results(for: store).makeAsyncIterator()
    _ = try await results.next()
    for second in 1...100 as ClosedRange<Int64> {
      let new = try sample(at: second)
      try await writer.save(new, as: program)
      #expect(try await results.next()?.value.added.map(\.id) == [new.id])
    }
    try await writer.delete(.all, as: "test")
    #expect(try await results.next()?.value.deleted.count == 100)
  }

  @Test("opened by a link, the store behind it is observed")
  func link() async throws {
    let writer = try HealthStore.open(folder.store, for: .writing)
    let link = "\(folder.path)/link.sqlite"
    #expect(unsafe symlink(folder.store, link) == 0)
    let store = try HealthStore.open(link, for: .reading, observing: true)
    var results = SampleQuery().results(for: store).makeAsyncIterator()
    _ = try await results.next()
    try await writer.save(sample(), as: program)
    #expect(try await results.next()?.value.count == 1)
  }

  @Test("what a writer committed before it was killed is reported when the next one opens the file")
  func killedWriter() async throws {
    let store: HealthStore
    do {
      let writer = try HealthStore.open(folder.store, for: .writing)
      store = try HealthStore.open(folder.store, for: .reading, observing: true)
      await writer.close()
    }
    var results = SampleQuery().results(for: store).makeAsyncIterator()
    _ = try await results.next()
    let new = try sample()
    // Its commit without what comes behind it.
    let killed = try StoreFile(folder.store, for: .writing, mode: 0)
    try killed.connection.transaction { () throws(StoreError) in
      _ = try killed.connection.samples.save([new], as: program)
    }
    _ = try HealthStore.open(folder.store, for: .writing)
    #expect(try await results.next()?.value.count == 1)
  }

  @Test(
    "a file that is put in the place of the open one is gone on with, and an anchor of the old one is refused by name")
  func replaced() async throws {
    let writer = try HealthStore.open(folder.store, for: .writing)
    try await writer.save(sample(at: 1), as: program)
    try copyStore(to: "backup")
    try await writer.save(sample(at: 2), as: program)
    let store = try HealthStore.open(folder.store, for: .reading, observing: true)
    var samples = SampleQuery().results(for: store).makeAsyncIterator()
    var changes = ChangeQuery(after: .start).results(for: store).makeAsyncIterator()
    #expect(try await samples.next()?.value.count == 2)
    #expect(try await changes.next()?.value.added.count == 2)
    await writer.close()
    replaceStore(with: "backup")
    #expect(try await samples.next()?.value.count == 1)
    await #expect { _ = try await changes.next() } throws: { ($0 as? StoreError)?.code == .lostAnchor }
    // The new one is observed as the old one was.
    let next = try HealthStore.open(folder.store, for: .writing)
    try await next.save(sample(at: 3), as: program)
    #expect(try await samples.next()?.value.count == 2)
  }

  @Test("a file of the same length of history is another one all the same")
  func replacedByEqual() async throws {
    let writer = try HealthStore.open(folder.store, for: .writing)
    let first = try sample()
    try await writer.save(first, as: program)
    let other = try HealthStore.open("\(folder.path)/other", for: .writing)
    let second = try sample()
    try await other.save(second, as: program)
    await other.close()
    let store = try HealthStore.open(folder.store, for: .reading, observing: true)
    var samples = SampleQuery().results(for: store).makeAsyncIterator()
    #expect(try await samples.next()?.value.map(\.id) == [first.id])
    await writer.close()
    replaceStore(with: "other")
    #expect(try await samples.next()?.value.map(\.id) == [second.id])
  }

  @Test("a file of a newer layout in place of the open one is an error, which reopening resolves")
  func replacedByNewer() async throws {
    let writer = try HealthStore.open(folder.store, for: .writing)
    try copyStore(to: "newer")
    try copyStore(to: "backup")
    try Connection("\(folder.path)/newer", flags: SQLITE_OPEN_READWRITE)
      .execute("UPDATE store SET min_reader = 98, min_writer = 99; PRAGMA user_version = 99")
    let store = try HealthStore.open(folder.store, for: .reading, observing: true)
    var samples = SampleQuery().results(for: store).makeAsyncIterator()
    _ = try await samples.next()
    await writer.close()
    replaceStore(with: "newer")
    await #expect { _ = try await samples.next() } throws: {
      ($0 as? StoreError)?.code == .newerVersion(found: 98, supported: Int(Schema.version))
    }
    replaceStore(with: "backup")
    try await store.reopen()
    #expect(try await samples.next()?.value.isEmpty == true)
    let next = try HealthStore.open(folder.store, for: .writing)
    try await next.save(sample(), as: program)
    #expect(try await samples.next()?.value.count == 1)
  }

  @Test("a deleted file is waited for, and neither half a copy nor something else is taken for it")
  func deleted() async throws {
    let writer = try HealthStore.open(folder.store, for: .writing)
    _ = try await writer.commit(try makeSession())
    try copyStore(to: "backup")
    let store = try HealthStore.open(folder.store, for: .reading, observing: true)
    var samples = SampleQuery().results(for: store).makeAsyncIterator()
    #expect(try await samples.next()?.value.count == 5)
    await writer.close()
    for suffix in ["", "-wal", "-shm"] { unsafe unlink(folder.store + suffix) }
    try folder.write("store.sqlite", "no store")
    let half = Array(folder.bytes(of: "backup").prefix(40_000))
    unsafe unlink(folder.store)
    try folder.write("store.sqlite", half)
    #expect(try await SampleQuery().result(for: store).value.count == 5, "of the file that was deleted")
    unsafe unlink(folder.store)
    let next = try HealthStore.open(folder.store, for: .writing)
    // The first of the two may be answered together with the second.
    var count = try await samples.next()?.value.count
    try await next.save(sample(), as: program)
    while count != 1 { count = try await samples.next()?.value.count }
    #expect(count == 1)
  }

  @Test("a copy in a read-only folder is followed if somebody writes to it after all")
  func readOnlyFolder() async throws {
    try await HealthStore.open(folder.store, for: .writing).close()
    for suffix in ["-wal", "-shm"] { unsafe unlink(folder.store + suffix) }
    #expect(unsafe chmod(folder.path, 0o555) == 0)
    let store = try HealthStore.open(folder.store, for: .reading, observing: true)
    var samples = SampleQuery().results(for: store).makeAsyncIterator()
    #expect(try await samples.next()?.value.isEmpty == true)
    #expect(unsafe chmod(folder.path, 0o755) == 0)
    let writer = try HealthStore.open(folder.store, for: .writing)
    try await writer.save(sample(), as: program)
    var count = 0
    while count != 1 { count = try #require(try await samples.next()).value.count }
  }

  @Test("closing the store lets the kernel's watch go, and so does its last reference")
  func closing() async throws {
    try await HealthStore.open(folder.store, for: .writing).close()
    weak var observation: StoreObservation?
    do {
      let store = try HealthStore.open(folder.store, for: .reading, observing: true)
      observation = await store.observation
      #expect(observation != nil)
      await store.close()
      while observation != nil { await Task.yield() }
    }
    do {
      let store = try HealthStore.open(folder.store, for: .reading, observing: true)
      observation = await store.observation
    }
    while observation != nil { await Task.yield() }
  }

  @Test("a file that cannot be watched has its own error")
  func refused() throws {
    let place = try StorePlace(HealthStorePath.made(in: folder), for: .reading)
    #expect(unsafe unlink(folder.store) == 0)
    #expect { _ = try StoreObservation(place) } throws: { ($0 as? StoreError)?.code == .cannotObserve }
  }

  @Test("a queue of events that ran over is taken for one of the file; events of other files are not")
  func overflow() throws {
    let observation = try StoreObservation(StorePlace(HealthStorePath.made(in: folder), for: .reading))
    try observation.watchFolder()
    #expect(observation.drainEvents() == nil)
    try folder.write("other", "")
    #expect(observation.drainEvents() == nil)
    try folder.write("store.sqlite.new-1", "")
    #expect(observation.drainEvents() == nil)
    #expect(unsafe utimensat(AT_FDCWD, folder.store, nil, 0) == 0)
    #expect(observation.drainEvents() != nil)
    let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let count = try #require(Int(limit.filter(\.isNumber)))
    // One event after another, none like the one before, which would be left out.
    for number in 0...count { try folder.write("other\(number % 2)", "") }
    #expect(observation.drainEvents() != nil)
    #expect(observation.drainEvents() == nil)
  }
}

/// A store that was made and closed.
private enum HealthStorePath {
  static func made(in folder: TemporaryFolder) throws -> String {
    _ = try HealthStore.open(folder.store, for: .writing)
    return folder.store
  }
}
