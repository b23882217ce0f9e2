import FoundationEssentials
import Glibc
import Sensors
import Synchronization
import Testing

@testable import Captures

@Suite("The journal on a disk that fails")
struct JournalFaultTests {
  let folder: TemporaryFolder
  var path: String { "\(folder.path)/journal" }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Puts another file under the descriptor with which the journal writes its current segment.
  func replaceSegment(of journal: Journal, with other: String) throws {
    let descriptor = try #require(journal.state.withLock { $0.current?.file.descriptor })
    let replacement = unsafe open(other, O_RDWR)
    #expect(replacement >= 0)
    #expect(dup2(replacement, descriptor) == descriptor)
    close(replacement)
  }

  @Test("a write that fails loses that event alone; the next one goes to a new segment")
  func failedWrite() throws {
    let (journal, _) = try Journal.open(directory: path)
    try journal.open(Samples.header(), events: Samples.beginning)
    try replaceSegment(of: journal, with: "/dev/full")
    let expected = JournalError(.notWritten, errorNumber: ENOSPC, path: "\(path)/00000001.journal")
    #expect(throws: expected) { try journal.append(Samples.measurement(1), to: Samples.session) }
    try journal.append(Samples.measurement(2), to: Samples.session)
    #expect(try TemporaryFolder.names(path) == ["00000001.journal", "00000002.journal"])
    let found = try JournalReader.read(directory: path)
    #expect(found.sessions.map(\.capture.events) == [Samples.beginning + [Samples.measurement(2)]])
    #expect(found.damageCount == 0)
  }

  @Test("a full disk takes back the record that did not fit, and the journal goes on when there is room")
  func partialWrite() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let folder = try TemporaryFolder()
      let path = "\(folder.path)/journal"
      let (journal, _) = try Journal.open(directory: path)
      try journal.open(Samples.header(), events: Samples.beginning)
      let size = try TemporaryFolder.read("\(path)/00000001.journal").count
      var limit = rlimit(rlim_cur: rlim_t(size + 50), rlim_max: rlim_t.max)
      #expect(unsafe setrlimit(__rlimit_resource_t(1), &limit) == 0)
      try journal.append(Samples.measurement(1), to: Samples.session)
      // This one fits in part: what was written of it is taken back.
      #expect(throws: JournalError.self) { try journal.append(Samples.measurement(2), to: Samples.session) }
      let whole = try JournalReader.read(directory: path)
      #expect(whole.damageCount == 0)
      #expect(whole.sessions.map(\.capture.events) == [Samples.beginning + [Samples.measurement(1)]])
      // And this one not at all.
      #expect(throws: JournalError.self) {
        try journal.append([Samples.measurement(3), Samples.measurement(4)], to: Samples.session)
      }
      limit.rlim_cur = rlim_t.max
      #expect(unsafe setrlimit(__rlimit_resource_t(1), &limit) == 0)
      try journal.append(Samples.measurement(5), to: Samples.session)
      let found = try JournalReader.read(directory: path)
      #expect(found.damageCount == 0)
      let expected = Samples.beginning + [Samples.measurement(1), Samples.measurement(5)]
      #expect(found.sessions.map(\.capture.events) == [expected])
    }
  }

  @Test("a sync that fails is not repeated: what it should have covered is written again, once")
  func failedSync() throws {
    let (journal, _) = try Journal.open(directory: path)
    try journal.open(Samples.header(), events: Samples.beginning)
    try journal.sync()
    for second in 0..<5 { try journal.append(Samples.measurement(second), to: Samples.session) }
    let lost = try TemporaryFolder.read("\(path)/00000001.journal")
    try replaceSegment(of: journal, with: "/dev/full")
    #expect(throws: JournalError(.rewritten, errorNumber: EINVAL, path: path)) { try journal.sync() }
    try journal.append(Samples.measurement(5), to: Samples.session)
    let events = Samples.beginning + (0...5).map { Samples.measurement($0) }
    #expect(try JournalReader.read(directory: path).sessions.map(\.capture.events) == [events])
    #expect(try journal.capture(of: Samples.session).capture.events == events)
    // The same where the disk really lost what it said that it could not keep.
    let synced = lost.lines.prefix(5).joined(separator: "\n").utf8.count + 1
    try TemporaryFolder.write(Array(lost[..<synced]), to: "\(path)/00000001.journal")
    let found = try JournalReader.read(directory: path)
    #expect(found.sessions.map(\.capture.events) == [events])
    #expect(found.damageCount == 0)
    try journal.sync()
  }

  @Test("where writing again fails too the records at risk are counted, and the next sync tries again")
  func failedRewriting() throws {
    let (journal, _) = try Journal.open(directory: path)
    try journal.open(Samples.header(), events: Samples.beginning)
    try replaceSegment(of: journal, with: "/dev/full")
    // A folder in the way of the new segment.
    let obstacle = "\(path)/00000002.journal.rewriting"
    #expect(unsafe mkdir(obstacle, 0o700) == 0)
    #expect(throws: JournalError(.notSynced, errorNumber: EEXIST, path: path, recordsAtRisk: 3)) { try journal.sync() }
    try journal.append(Samples.measurement(1), to: Samples.session)
    #expect(journal.isDirty)
    #expect(throws: JournalError.self) { try journal.sync() }
    #expect(!journal.isDirty)
    try journal.append(Samples.measurement(2), to: Samples.session)
    let events = Samples.beginning + [Samples.measurement(1), Samples.measurement(2)]
    #expect(try JournalReader.read(directory: path).sessions.map(\.capture.events) == [events])
    try journal.sync()
    #expect(unsafe rmdir(obstacle) == 0)
  }

  @Test("more than may be kept in memory cannot be written again, and is reported as at risk")
  func tooMuchToKeep() throws {
    let (journal, _) = try Journal.open(directory: path, configuration: JournalConfiguration(keptTailBytes: 500))
    try journal.open(Samples.header(), events: Samples.beginning)
    for second in 0..<30 { try journal.append(Samples.measurement(second), to: Samples.session) }
    try replaceSegment(of: journal, with: "/dev/full")
    #expect(throws: JournalError(.notSynced, errorNumber: EINVAL, path: path, recordsAtRisk: 33)) { try journal.sync() }
    try journal.append(Samples.measurement(30), to: Samples.session)
    try journal.sync()
    #expect(try JournalReader.read(directory: path).sessions.first?.capture.events.count == 34)
  }

  @Test("a folder that vanishes is made again, and what no sync had covered is in it")
  func vanished() throws {
    let (journal, _) = try Journal.open(directory: path)
    try journal.open(Samples.header(), events: Samples.beginning)
    TemporaryFolder.delete(path)
    try journal.append(Samples.measurement(1), to: Samples.session)
    #expect(throws: JournalError(.segmentsVanished, errorNumber: ESTALE, path: path)) { try journal.sync() }
    try journal.append(Samples.measurement(2), to: Samples.session)
    let events = Samples.beginning + [Samples.measurement(1), Samples.measurement(2)]
    #expect(try JournalReader.read(directory: path).sessions.map(\.capture.events) == [events])
    TemporaryFolder.delete(path)
    try journal.open(Samples.header(Samples.other), events: Samples.beginning)
  }

  @Test("a folder that cannot be made is an error that names it")
  func cannotOpen() throws {
    #expect(throws: JournalError(.cannotOpen, errorNumber: ENOTDIR, path: "/dev/null/journal")) {
      _ = try Journal.open(directory: "/dev/null/journal")
    }
  }
}
