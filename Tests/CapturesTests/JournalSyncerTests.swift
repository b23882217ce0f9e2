import FoundationEssentials
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

  @Test("a record is synced without anybody asking for it")
  func interval() throws {
    let (journal, _) = try Journal.open(directory: path)
    let syncer = try JournalSyncer(journal, interval: .milliseconds(2)) { _ in }
    for second in 0..<50 {
      try journal.open(Samples.header(UUID()), events: [Samples.measurement(second)])
    }
    while journal.isDirty {}
    syncer.stop()
  }

  @Test("what a killed recorder left without a sync is synced first")
  func leftovers() throws {
    do {
      let (journal, _) = try Journal.open(directory: path)
      try journal.open(Samples.header(), events: Samples.beginning)
    }
    let (journal, _) = try Journal.open(directory: path)
    #expect(journal.isDirty)
    let syncer = try JournalSyncer(journal, interval: .milliseconds(2)) { _ in }
    while journal.isDirty {}
    syncer.stop()
  }
}
