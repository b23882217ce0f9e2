import FoundationEssentials
import Glibc
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Captures

@Suite("The journal on a disk that fails")
struct JournalFaultTests {
  let folder: TemporaryFolder
  var path: String { "\(folder.path)/journal" }

  init() throws {
    folder = TemporaryFolder()
  }

  /// Puts another file under the descriptor of the journal's current segment.
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
    #expect(TemporaryFolder.names(path) == ["00000001.journal", "00000002.journal"])
    let found = try JournalReader.read(directory: path)
    #expect(found.sessions.map(\.capture.events) == [Samples.beginning + [Samples.measurement(2)]])
    #expect(found.damageCount == 0)
  }

  @Test("on a full disk a partly written record is removed, and the journal continues when there is room")
  func partialWrite() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let folder = TemporaryFolder()
      let path = "\(folder.path)/journal"
      let (journal, _) = try Journal.open(directory: path)
      try journal.open(Samples.header(), events: Samples.beginning)
      let size = try TemporaryFolder.read("\(path)/00000001.journal").count
      var limit = rlimit(rlim_cur: rlim_t(size + 50), rlim_max: rlim_t.max)
      #expect(unsafe setrlimit(__rlimit_resource_t(1), &limit) == 0)
      try journal.append(Samples.measurement(1), to: Samples.session)
      // This one fits in part: the part is removed again.
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
    let (journal, _) = try Journal.open(directory: path, configuration: JournalConfiguration(keptUnsyncedBytes: 500))
    try journal.open(Samples.header(), events: Samples.beginning)
    for second in 0..<30 { try journal.append(Samples.measurement(second), to: Samples.session) }
    try replaceSegment(of: journal, with: "/dev/full")
    #expect(throws: JournalError(.notSynced, errorNumber: EINVAL, path: path, recordsAtRisk: 33)) { try journal.sync() }
    try journal.append(Samples.measurement(30), to: Samples.session)
    try journal.sync()
    #expect(try JournalReader.read(directory: path).sessions.first?.capture.events.count == 34)
  }

  @Test("a deleted folder is created again, with everything that no sync had covered")
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

  @Test(
    "a deleted folder costs nothing that an open descriptor has, synced or not, and never the time",
    arguments: [1 << 20, 400])
  func deletedFolder(segmentBytes: Int) throws {
    let (journal, _) = try Journal.open(
      directory: path, configuration: JournalConfiguration(segmentBytes: segmentBytes))
    try journal.open(Samples.header(), events: Samples.beginning)
    for second in 0..<20 { try journal.append(Samples.measurement(second), to: Samples.session) }
    try journal.sync()
    let closed = TemporaryFolder.names(path).count - 1
    for second in 20..<25 { try journal.append(Samples.measurement(second), to: Samples.session) }
    TemporaryFolder.delete(path)
    for second in 25..<30 { try journal.append(Samples.measurement(second), to: Samples.session) }
    // Without a sync, as when the session ends at once.
    let events = try journal.capture(of: Samples.session).capture.events
    let values = events.filter { Samples.isMeasurement($0) }
    #expect(values.suffix(10) == (20..<30).map { Samples.measurement($0) })
    #expect(Set(values).count == values.count, "none is there twice")
    if closed == 0 { #expect(values.count == 30) }
    // Boot and clock come first.
    #expect(Set(events.prefix(2)).count == 2 && !events.prefix(2).contains { Samples.isMeasurement($0) })
    try journal.append(Samples.measurement(30), to: Samples.session)
    try journal.sync()
    let found = try JournalReader.read(directory: path)
    #expect(found.damageCount == 0 && found.sessions.first?.capture.events == events + [Samples.measurement(30)])
  }

  @Test("what was deleted is kept until a disk that is full takes it again")
  func deletedOnFullDisk() throws {
    let (journal, _) = try Journal.open(directory: path)
    try journal.open(Samples.header(), events: Samples.beginning)
    for second in 0..<20 { try journal.append(Samples.measurement(second), to: Samples.session) }
    try journal.sync()
    try journal.append(Samples.measurement(20), to: Samples.session)
    TemporaryFolder.delete(path)
    let obstacle = "\(path)/00000002.journal.rewriting"
    #expect(unsafe mkdir(path, 0o700) == 0 && mkdir(obstacle, 0o700) == 0)
    #expect(throws: JournalError.self) { try journal.sync() }
    #expect(unsafe rmdir(obstacle) == 0)
    #expect(throws: JournalError.self) { try journal.sync() }
    let events = Samples.beginning + (0...20).map { Samples.measurement($0) }
    #expect(try journal.capture(of: Samples.session).capture.events == events)
  }

  @Test(
    "a segment that is cut beneath the journal costs what a sync had covered, and nothing that comes",
    arguments: [0, 10, 27, 900, -1])
  func cut(to size: Int) throws {
    let (journal, _) = try Journal.open(directory: path)
    try journal.open(Samples.header(), events: Samples.beginning)
    for second in 0..<20 { try journal.append(Samples.measurement(second), to: Samples.session) }
    try journal.sync()
    let name = "\(path)/00000001.journal"
    for second in 20..<25 { try journal.append(Samples.measurement(second), to: Samples.session) }
    let whole = try TemporaryFolder.read(name).count
    #expect(unsafe truncate(name, size < 0 ? whole + size : size) == 0)
    for second in 25..<30 { try journal.append(Samples.measurement(second), to: Samples.session) }
    // Without a sync, as when the recorder is stopped at once.
    let events = try journal.capture(of: Samples.session).capture.events
    let unsynced = (20..<30).map { Samples.measurement($0) }
    #expect(events.suffix(10) == unsynced)
    #expect(Set(events).count == events.count, "none is there twice")
    try journal.append(Samples.measurement(30), to: Samples.session)
    try journal.sync()
    #expect(try journal.capture(of: Samples.session).capture.events.suffix(11) == unsynced + [Samples.measurement(30)])
    let found = try JournalReader.read(directory: path)
    #expect(found.sessions.count == 1 && found.sessions.first?.capture.events.suffix(11).first == unsynced.first)
  }

  @Test("a session whose records were removed is reported as damaged, and not read again and again")
  func emptied() throws {
    let (journal, _) = try Journal.open(directory: path)
    try journal.open(Samples.header(), events: Samples.beginning)
    try journal.sync()
    #expect(unsafe truncate("\(path)/00000001.journal", 0) == 0)
    let (capture, damages) = try journal.capture(of: Samples.session)
    #expect(capture.events.isEmpty && !damages.isEmpty)
    try journal.commit(Samples.session)
    try? journal.sync()
    try journal.sync()
    #expect(try JournalReader.read(directory: path).sessions.isEmpty)
  }

  /// A session across three segments, closed in its last one.
  func threeSegments() throws -> (journal: Journal, events: [SensorEvent]) {
    let (journal, _) = try Journal.open(directory: path, configuration: JournalConfiguration(segmentBytes: 700))
    try journal.open(Samples.header(), events: Samples.beginning)
    var events = Samples.beginning
    for second in 0..<100 where TemporaryFolder.names(path).count < 3 {
      events.append(Samples.measurement(second))
      try journal.append(Samples.measurement(second), to: Samples.session)
    }
    return (journal, events)
  }

  /// Puts a folder in place of a segment: reading it is an error, as on a worn-out medium.
  func makeUnreadable(_ name: String) {
    #expect(unsafe rename("\(path)/\(name)", "\(path)/kept") == 0)
    #expect(unsafe mkdir("\(path)/\(name)", 0o700) == 0)
  }

  func makeReadable(_ name: String) {
    #expect(unsafe rmdir("\(path)/\(name)") == 0)
    #expect(unsafe rename("\(path)/kept", "\(path)/\(name)") == 0)
  }

  @Test("a session of which a segment cannot be read is not read in part; once it can be it is there whole")
  func unreadableSegment() throws {
    let (journal, events) = try threeSegments()
    makeUnreadable("00000002.journal")
    let expected = JournalError(.cannotRead, errorNumber: EISDIR, path: "\(path)/00000002.journal")
    #expect(throws: expected) { try journal.capture(of: Samples.session) }
    makeReadable("00000002.journal")
    #expect(try journal.capture(of: Samples.session).capture.events == events)
    // A segment that was synced and closed, and that somebody deleted, does not come back: what is left is the session.
    try journal.sync()
    _ = unsafe remove("\(path)/00000002.journal")
    #expect(try journal.capture(of: Samples.session).capture.events.count < events.count)
  }

  @Test("a segment that stays unreadable is left out on request, reported as damage, and set aside")
  func unreadableForGood() throws {
    let (journal, events) = try threeSegments()
    makeUnreadable("00000002.journal")
    let (capture, damages) = try journal.capture(of: Samples.session, leavingOutUnreadable: true)
    #expect(capture.events.count < events.count && capture.events.last == events.last)
    #expect(damages == [CaptureDamage(file: "00000002.journal", record: 1, offset: 0, reason: .unreadable(EISDIR))])
    makeReadable("00000002.journal")
    try journal.commit(Samples.session)
    try journal.sync()
    #expect(TemporaryFolder.names(path) == ["00000002.journal.damaged"])
  }

  @Test("where no segment of a session can be read it is empty rather than in the way for ever")
  func unreadableAltogether() throws {
    let (journal, _) = try Journal.open(directory: path)
    try journal.open(Samples.header(), events: Samples.beginning)
    makeUnreadable("00000001.journal")
    #expect(throws: JournalError.self) { try journal.capture(of: Samples.session) }
    let (capture, damages) = try journal.capture(of: Samples.session, leavingOutUnreadable: true)
    #expect(capture == Capture(header: Samples.header(), events: []) && damages.count == 1)
  }

  @Test("a segment in which this recorder finds a damaged record is kept aside, not deleted")
  func damagedWhileRunning() throws {
    let (journal, _) = try threeSegments()
    var bytes = try TemporaryFolder.read("\(path)/00000002.journal")
    bytes[bytes.count - 20] ^= 1
    try TemporaryFolder.write(bytes, to: "\(path)/00000002.journal")
    #expect(try journal.capture(of: Samples.session).damages.map(\.reason) == [.checksum])
    try journal.commit(Samples.session)
    try journal.sync()
    #expect(TemporaryFolder.names(path) == ["00000002.journal.damaged"])
  }

  @Test("records that were written again are read where their segment has its name but the folder's sync failed")
  func unsyncedRewriting() throws {
    let (journal, _) = try Journal.open(directory: path)
    try journal.open(Samples.header(), events: Samples.beginning)
    try journal.append(Samples.measurement(0), to: Samples.session)
    try replaceSegment(of: journal, with: "/dev/full")
    // A descriptor that finds entries and cannot be synced.
    let descriptor = journal.state.withLock { $0.directory.file.descriptor }
    let sound = dup(descriptor)
    let pathOnly = unsafe open(path, 0o10_000_000)  // O_PATH
    #expect(dup2(pathOnly, descriptor) == descriptor)
    #expect(throws: JournalError(.notSynced, errorNumber: EBADF, path: path, recordsAtRisk: 4)) { try journal.sync() }
    #expect(dup2(sound, descriptor) == descriptor)
    close(sound)
    close(pathOnly)
    try journal.append(Samples.measurement(1), to: Samples.session)
    let events = Samples.beginning + [Samples.measurement(0), Samples.measurement(1)]
    #expect(try journal.capture(of: Samples.session).capture.events == events)
    #expect(throws: JournalError.self) { try journal.sync() }
    #expect(try journal.capture(of: Samples.session).capture.events == events)
    try journal.commit(Samples.session)
    try journal.sync()
    #expect(TemporaryFolder.names(path).isEmpty)
  }

  /// How far the thread that writes has come.
  private final class Progress: Sendable {
    let written = Atomic(0)
    let isOver = Atomic(false)
  }

  @Test("a session that is read while syncs fail and its records are written again is never short of one")
  func readWhileRewriting() async throws {
    let (journal, _) = try Journal.open(directory: path)
    try journal.open(Samples.header(), events: Samples.beginning)
    let progress = Progress()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while !progress.isOver.load(ordering: .acquiring) {
          let least = progress.written.load(ordering: .acquiring)
          guard let read = try? journal.capture(of: Samples.session).capture.events.count else { continue }
          #expect(read >= Samples.beginning.count + least)
        }
      }
      defer { progress.isOver.store(true, ordering: .releasing) }
      for second in 0..<60 {
        try journal.append(Samples.measurement(second), to: Samples.session)
        progress.written.store(second + 1, ordering: .releasing)
        try replaceSegment(of: journal, with: "/dev/full")
        #expect(throws: JournalError.self) { try journal.sync() }
      }
    }
    #expect(try journal.capture(of: Samples.session).capture.events.count == Samples.beginning.count + 60)
  }

  @Test("a folder that cannot be made is an error that names it")
  func cannotOpen() throws {
    #expect(throws: JournalError(.cannotOpen, errorNumber: ENOTDIR, path: "/dev/null/journal")) {
      _ = try Journal.open(directory: "/dev/null/journal")
    }
  }
}
