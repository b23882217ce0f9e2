import FoundationEssentials
import Glibc
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Captures

@Suite("The syncer")
struct JournalSyncerTests {
  let folder: TemporaryFolder
  var path: String { "\(folder.path)/journal" }

  init() throws {
    folder = TemporaryFolder()
  }

  @Test("stopping syncs what was written, however long the interval")
  func stop() throws {
    let (journal, _) = try Journal.open(directory: path)
    let syncer = try JournalSyncer(journal, interval: .seconds(3600)) { _ in }
    try journal.open(Samples.header(), events: Samples.beginning)
    #expect(journal.isDirty)
    syncer.stop()
    #expect(!journal.isDirty)
    syncer.stop()
  }

  @Test("who asks for a sync now is told when it is done, that it failed, or that there will be none any more")
  func syncNow() async throws {
    let (journal, _) = try Journal.open(directory: path)
    let syncer = try JournalSyncer(journal, interval: .seconds(3600)) { _ in }
    try journal.open(Samples.header(), events: Samples.beginning)
    try await syncer.syncNow()
    #expect(!journal.isDirty)
    // A folder that cannot be written: the records can be written nowhere else, either.
    let descriptor = try #require(journal.state.withLock { $0.current?.file.descriptor })
    #expect(dup2(unsafe open("/dev/full", O_RDWR), descriptor) == descriptor)
    #expect(unsafe mkdir("\(path)/00000002.journal.rewriting", 0o700) == 0)
    _ = try? journal.append(Samples.measurement(1), to: Samples.session)
    journal.state.withLock { $0.isDirty = true }
    await #expect(throws: JournalError.self) { try await syncer.syncNow() }
    syncer.stop()
    await #expect(throws: JournalError.self) { try await syncer.syncNow() }
  }

  /// A syncer that another thread asks about.
  private final class Watched: Sendable {
    let syncer = Mutex<JournalSyncer?>(nil)
    let hasFailed = Atomic(false)

    var isStopping: Bool { syncer.withLock { $0?.isStopping.load(ordering: .acquiring) ?? false } }
  }

  @Test("stopping while a sync fails waits for no interval")
  func stopWhileFailing() async {
    await #expect(processExitsWith: .success) {
      // Else this would wait for an hour.
      alarm(300)
      let folder = TemporaryFolder()
      let path = "\(folder.path)/journal"
      let (journal, _) = try Journal.open(directory: path)
      try journal.open(Samples.header(), events: Samples.beginning)
      let descriptor = try #require(journal.state.withLock { $0.current?.file.descriptor })
      #expect(dup2(unsafe open("/dev/full", O_RDWR), descriptor) == descriptor)
      #expect(unsafe mkdir("\(path)/00000002.journal.rewriting", 0o700) == 0)
      let watched = Watched()
      // What is there already is synced at once; the thread has not seen the stop when that fails.
      let syncer = try JournalSyncer(journal, interval: .seconds(6000)) { _ in
        watched.hasFailed.store(true, ordering: .releasing)
        while !watched.isStopping { sched_yield() }
        for _ in 0..<1000 { sched_yield() }
      }
      watched.syncer.withLock { $0 = syncer }
      while !watched.hasFailed.load(ordering: .acquiring) { sched_yield() }
      syncer.stop()
    }
  }

  @Test("a record is synced without anybody asking for it")
  func interval() async {
    await #expect(processExitsWith: .success) {
      // Else this would wait for ever.
      alarm(60)
      let folder = TemporaryFolder()
      let (journal, _) = try Journal.open(directory: folder.path)
      let syncer = try JournalSyncer(journal, interval: .milliseconds(2)) { _ in }
      for second in 0..<50 {
        try journal.open(Samples.header(UUID()), events: [Samples.measurement(second)])
      }
      while journal.isDirty { sched_yield() }
      syncer.stop()
    }
  }

  @Test("a flood is synced at once, however long the interval is")
  func flood() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let folder = TemporaryFolder()
      let configuration = JournalConfiguration(urgentUnsyncedBytes: 2000)
      let (journal, _) = try Journal.open(directory: folder.path, configuration: configuration)
      let syncer = try JournalSyncer(journal, interval: .seconds(6000)) { _ in }
      try journal.open(Samples.header(), events: Samples.beginning)
      #expect(journal.isDirty)
      try journal.append((0..<100).map { Samples.measurement($0) }, to: Samples.session)
      while journal.isDirty { sched_yield() }
      syncer.stop()
    }
  }

  @Test("what a killed recorder left without a sync is synced at once")
  func leftovers() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let folder = TemporaryFolder()
      do {
        let (journal, _) = try Journal.open(directory: folder.path)
        try journal.open(Samples.header(), events: Samples.beginning)
      }
      let (journal, _) = try Journal.open(directory: folder.path)
      #expect(journal.isDirty)
      let syncer = try JournalSyncer(journal, interval: .seconds(6000)) { _ in }
      while journal.isDirty { sched_yield() }
      syncer.stop()
    }
  }
}
