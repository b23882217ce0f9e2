import FoundationEssentials
import Glibc
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Captures

@Suite("Erasing a session from the journal")
struct JournalErasureTests {
  let folder: TemporaryFolder
  var path: String { "\(folder.path)/journal" }
  /// Payloads that only the deleted session has; the text of a journal shows them in hexadecimal.
  private let secret: [UInt8] = [0x10, 0xC3, 0x5E, 0xC2, 0xE7, 0x0A]
  private let kept: [UInt8] = [0x10, 0x4B, 0x0A, 0x0B, 0x0C, 0x0D]

  init() throws {
    folder = TemporaryFolder()
  }

  /// Two sessions in the same segments: the one to be deleted is stored, the other is open.
  private func fill(_ journal: Journal) throws {
    try journal.open(Samples.header(name: "Zaphod"), events: Samples.beginning)
    try journal.open(Samples.header(Samples.other, name: "Other"), events: Samples.beginning)
    for second in 0..<40 {
      try journal.append(Samples.measurement(second, secret), to: Samples.session)
      try journal.append(Samples.measurement(second, kept), to: Samples.other)
    }
    try journal.commit(Samples.session)
  }

  /// A program that another test has just started may hold the closed journal's lock for a moment.
  private func eraseWithoutRecorder() throws -> JournalErasure.Outcome {
    for _ in 0..<100_000 {
      if try JournalErasure.erase(Samples.session, in: path) == .erased { return .erased }
      sched_yield()
    }
    return .recorderRuns
  }

  private func contains(_ text: String) throws -> Bool {
    try TemporaryFolder.names(path).contains { name in
      String(decoding: try TemporaryFolder.read("\(path)/\(name)"), as: UTF8.self).contains(text)
    }
  }

  private func expectErased(_ journal: Journal? = nil) throws {
    #expect(try !contains("10c35ec2e70a"))
    #expect(try !contains("Zaphod"))
    let contents = try JournalReader.read(directory: path)
    #expect(contents.damageCount == 0)
    let other = try #require(contents.sessions.first)
    #expect(contents.sessions.count == 1 && other.capture.session == Samples.other)
    let payloads = other.capture.events.compactMap { event in
      if case .measurement(let payload) = event.kind { payload } else { nil }
    }
    #expect(payloads.count >= 40 && payloads.allSatisfy { $0 == kept })
  }

  @Test("without a recorder, segments that an open session shares lose the deleted one's records and nothing else")
  func withoutRecorder() throws {
    do {
      let (journal, _) = try Journal.open(directory: path, configuration: JournalConfiguration(segmentBytes: 900))
      try fill(journal)
      try journal.sync()
      #expect(try contains("10c35ec2e70a") && contains("Zaphod"))
      #expect(try JournalErasure.erase(Samples.session, in: path) == .recorderRuns)
    }
    #expect(try eraseWithoutRecorder() == .erased)
    try expectErased()
    #expect(try JournalErasure.erase(Samples.session, in: path + "/none") == .erased)
  }

  @Test("in the recorder the open session continues, and a later sync and restart find everything intact")
  func inRecorder() throws {
    do {
      let (journal, _) = try Journal.open(directory: path, configuration: JournalConfiguration(segmentBytes: 100_000))
      try fill(journal)
      try journal.erase(Samples.session)
      try expectErased()
      try journal.append(Samples.measurement(41, kept), to: Samples.other)
      try journal.sync()
      try journal.erase(Samples.other)
      #expect(try contains("104b0a0b0c0d"), "a session that is open is left alone")
    }
    let (journal, recovered) = try Journal.open(directory: path)
    #expect(recovered.sessions.map(\.state) == [.open])
    #expect(recovered.damageCount == 0)
    try journal.sync()
    try expectErased()
  }

  @Test("the syncer is notified of what an erasure leaves to sync, and of later writes")
  func toldToSyncer() throws {
    let (journal, _) = try Journal.open(directory: path)
    try fill(journal)
    try journal.sync()
    let told = Atomic(0)
    journal.setOnDemand { _ in told.add(1, ordering: .relaxed) }
    try journal.erase(Samples.session)
    #expect(journal.isDirty && told.load(ordering: .relaxed) == 1)
    try journal.sync()
    try journal.append(Samples.measurement(41, kept), to: Samples.other)
    #expect(told.load(ordering: .relaxed) == 2)
  }

  /// Replaces the descriptor being written by one that cannot be synced, so that the next sync fails.
  private func failSync(of journal: Journal) throws {
    let descriptor = try #require(journal.state.withLock { $0.current?.file.descriptor })
    let full = unsafe open("/dev/full", O_RDWR)
    #expect(dup2(full, descriptor) == descriptor)
    close(full)
    let error = #expect(throws: JournalError.self) { try journal.sync() }
    #expect(error?.code == .rewritten)
  }

  /// The seconds of the values of the other session, as the journal has them.
  private func secondsOfOther() throws -> [Int64] {
    let other = try #require(try JournalReader.read(directory: path).sessions.last)
    try #require(other.capture.session == Samples.other)
    return other.capture.events.filter { if case .measurement = $0.kind { true } else { false } }.map {
      ($0.instant.microseconds - Samples.measurement(0).instant.microseconds) / 1_000_000
    }
  }

  @Test(
    "what was written again after a failed sync is there once, whoever erases what stood before it",
    arguments: [true, false])
  func afterRewriting(inRecorder: Bool) throws {
    do {
      let (journal, _) = try Journal.open(directory: path)
      try fill(journal)
      try journal.sync()
      for second in 40..<45 { try journal.append(Samples.measurement(second, kept), to: Samples.other) }
      try failSync(of: journal)
      try journal.append(Samples.measurement(45, kept), to: Samples.other)
      try journal.sync()
      if inRecorder { try journal.erase(Samples.session) }
    }
    if !inRecorder { #expect(try eraseWithoutRecorder() == .erased) }
    try expectErased()
    #expect(try secondsOfOther() == Array(0...45))
  }

  /// How far the thread that writes has come.
  private final class Progress: Sendable {
    let next = Atomic(40)
    let isThere = Atomic(false)
    let isErasing = Atomic(false)
    let isOver = Atomic(false)
  }

  @Test("a record that comes during an erasure and is written again after a failed sync exists once")
  func writtenDuringErasure() async throws {
    let (journal, _) = try Journal.open(directory: path)
    try fill(journal)
    let progress = Progress()
    let kept = kept
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        progress.isThere.store(true, ordering: .releasing)
        while !progress.isErasing.load(ordering: .acquiring) { sched_yield() }
        // So many that they would still be written again from memory.
        for second in 40..<20_000 where !progress.isOver.load(ordering: .acquiring) {
          try journal.append(Samples.measurement(second, kept), to: Samples.other)
          progress.next.store(second + 1, ordering: .releasing)
        }
      }
      while !progress.isThere.load(ordering: .acquiring) { await Task.yield() }
      defer { progress.isOver.store(true, ordering: .releasing) }
      progress.isErasing.store(true, ordering: .releasing)
      try journal.erase(Samples.session)
    }
    let last = progress.next.load(ordering: .acquiring)
    try journal.append(Samples.measurement(last, kept), to: Samples.other)
    try failSync(of: journal)
    try expectErased()
    #expect(try secondsOfOther() == Array(0...Int64(last)))
  }

  @Test("a segment set aside as damaged loses the session's records and unreadable ones")
  func damagedSegment() throws {
    do {
      let (journal, _) = try Journal.open(directory: path)
      try fill(journal)
    }
    let name = try #require(TemporaryFolder.names(path).first)
    var bytes = try TemporaryFolder.read("\(path)/\(name)")
    // One record of each session cannot be read any more.
    let text = String(decoding: bytes, as: UTF8.self)
    for payload in ["10c35ec2e70a", "104b0a0b0c0d"] {
      let place = try #require(text.firstRange(of: payload)).lowerBound
      bytes[text.utf8.distance(from: text.startIndex, to: place) - 3] ^= 1
    }
    try TemporaryFolder.write(bytes, to: "\(path)/\(name).damaged")
    TemporaryFolder.delete("\(path)/\(name)")
    #expect(try eraseWithoutRecorder() == .erased)
    #expect(try !contains("10c35ec2e70a") && !contains("Zaphod"))
    let rest = String(decoding: try TemporaryFolder.read("\(path)/\(name).damaged"), as: UTF8.self)
    #expect(rest.split(separator: "\n").count { $0.contains("104b0a0b0c0d") } == 39)
  }

  private func status(_ name: String) throws -> stat {
    var status = stat()
    guard unsafe lstat("\(path)/\(name)", &status) == 0 else { throw SystemError.last }
    return status
  }

  /// Gives a file to another user if these tests may, otherwise to another group of this user, if there is one.
  private func giveAway(_ name: String) {
    if unsafe chown("\(path)/\(name)", 65_534, 65_534) == 0 { return }
    var groups = [gid_t](repeating: 0, count: 65_536)
    let count = unsafe getgroups(CInt(groups.count), &groups)
    for group in groups.prefix(max(0, Int(count))) where group != getegid() {
      if unsafe chown("\(path)/\(name)", uid_t.max, group) == 0 { return }
    }
  }

  @Test("a rewritten segment keeps its owner, group and permissions, whoever erases")
  func keepsOwner() throws {
    do {
      let (journal, _) = try Journal.open(directory: path)
      try fill(journal)
    }
    let name = try #require(TemporaryFolder.names(path).first)
    giveAway(name)
    #expect(unsafe chmod("\(path)/\(name)", 0o640) == 0)
    let before = try status(name)
    #expect(try eraseWithoutRecorder() == .erased)
    let after = try status(name)
    #expect(after.st_ino != before.st_ino && after.st_size < before.st_size)
    #expect(after.st_uid == before.st_uid && after.st_gid == before.st_gid && after.st_mode == before.st_mode)
    try expectErased()
  }

  /// A segment with the other session's values and then `tail`; from there on a second segment repeats both sessions.
  ///
  /// Returns the offset from which the second one repeats it.
  @discardableResult
  private func writeRewritten(torn: String = "", tail: [UInt8]? = nil) throws -> Int {
    #expect(unsafe mkdir(path, 0o700) == 0)
    var segment = RecordBuffer()
    segment.header(.journal)
    segment.session(Samples.header(Samples.other, name: "Other"), slot: 1)
    for event in Samples.beginning { segment.event(event, slot: 1) }
    for second in 0..<40 { segment.event(Samples.measurement(second, kept), slot: 1) }
    let first = segment.copy() + Array(torn.utf8)
    segment.removeAll()
    segment.session(Samples.header(name: "Zaphod"), slot: 2)
    for event in Samples.beginning { segment.event(event, slot: 2) }
    segment.event(Samples.measurement(40, secret), slot: 2)
    let deleted = segment.copy()
    try TemporaryFolder.write(first + (tail ?? deleted), to: "\(path)/\(SegmentName.name(1))")
    segment.removeAll()
    segment.header(.journal)
    segment.rewrites(segment: 1, offset: first.count)
    try TemporaryFolder.write(segment.copy() + deleted, to: "\(path)/\(SegmentName.name(2))")
    return first.count
  }

  @Test("an unreadable line is removed from the part of a segment that no later segment repeats")
  func tornLineBeforeRewritten() throws {
    try writeRewritten(torn: "2 8123000000 m 10c35ec2e70a 0000\n")
    #expect(try eraseWithoutRecorder() == .erased)
    try expectErased()
    #expect(try secondsOfOther() == Array(0..<40))
  }

  @Test("records that a later segment repeats are removed without being read, since a failing disk may not return them")
  func unreadRewritten() throws {
    let end = try writeRewritten(tail: [])
    // A hole that no memory can hold.
    #expect(unsafe truncate("\(path)/\(SegmentName.name(1))", 1 << 40) == 0)
    #expect(try eraseWithoutRecorder() == .erased)
    #expect(try Int(status(SegmentName.name(1)).st_size) == end)
    try expectErased()
    #expect(try secondsOfOther() == Array(0..<40))
  }

  @Test("records of the session that a later segment repeats are removed even after a damaged first line")
  func damagedFirstLineOfRewritten() throws {
    #expect(unsafe mkdir(path, 0o700) == 0)
    var segment = RecordBuffer()
    segment.header(.journal)
    let length = segment.copy().count
    segment.session(Samples.header(name: "Zaphod"), slot: 1)
    segment.event(Samples.measurement(0, secret), slot: 1)
    var bytes = segment.copy()
    bytes[3] ^= 1
    try TemporaryFolder.write(bytes, to: "\(path)/\(SegmentName.name(1))")
    segment.removeAll()
    segment.header(.journal)
    segment.rewrites(segment: 1, offset: length)
    try TemporaryFolder.write(segment.copy(), to: "\(path)/\(SegmentName.name(2))")
    #expect(try eraseWithoutRecorder() == .erased)
    #expect(try !contains("10c35ec2e70a") && !contains("Zaphod"))
  }
}
