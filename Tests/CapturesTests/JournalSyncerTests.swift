import FoundationEssentials
import Glibc
import Sensors
import Synchronization
import Testing

@testable import Captures

@Suite("The syncer")
struct JournalSyncerTests {
  let folder: TemporaryFolder
  var path: String { "\(folder.path)/journal" }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("stopping syncs what was written, however long the interval is")
  func stop() throws {
    let (journal, _) = try Journal.open(directory: path)
    let syncer = try JournalSyncer(journal, interval: .seconds(3600)) { _ in }
    try journal.open(Samples.header(), events: Samples.beginning)
    #expect(journal.isDirty)
    syncer.stop()
    #expect(!journal.isDirty)
    syncer.stop()
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
      let folder = try TemporaryFolder()
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

  /// Returns when nothing waits for a sync any more; the time limit of the test ends the waiting.
  private func synced(_ journal: Journal) async throws {
    while journal.isDirty {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test("a record is synced without anybody asking for it", .timeLimit(.minutes(1)))
  func interval() async throws {
    let (journal, _) = try Journal.open(directory: path)
    let syncer = try JournalSyncer(journal, interval: .milliseconds(2)) { _ in }
    defer { syncer.stop() }
    for second in 0..<50 {
      try journal.open(Samples.header(UUID()), events: [Samples.measurement(second)])
    }
    try await synced(journal)
  }

  @Test("a flood is synced at once, however long the interval is", .timeLimit(.minutes(1)))
  func flood() async throws {
    let (journal, _) = try Journal.open(directory: path, configuration: JournalConfiguration(urgentTailBytes: 2000))
    let syncer = try JournalSyncer(journal, interval: .seconds(3600)) { _ in }
    defer { syncer.stop() }
    try journal.open(Samples.header(), events: Samples.beginning)
    #expect(journal.isDirty)
    try journal.append((0..<100).map { Samples.measurement($0) }, to: Samples.session)
    try await synced(journal)
  }

  @Test("what a killed recorder left without a sync is synced first", .timeLimit(.minutes(1)))
  func leftovers() async throws {
    do {
      let (journal, _) = try Journal.open(directory: path)
      try journal.open(Samples.header(), events: Samples.beginning)
    }
    let (journal, _) = try Journal.open(directory: path)
    #expect(journal.isDirty)
    let syncer = try JournalSyncer(journal, interval: .seconds(3600)) { _ in }
    defer { syncer.stop() }
    try await synced(journal)
  }
}
