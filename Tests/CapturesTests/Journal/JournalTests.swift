import FoundationEssentials
import Glibc
import HealthModel
import Support
import TestSupport
import Testing
import Timeline

@testable import Captures

@Suite("The journal")
struct JournalTests {
  let folder: TemporaryFolder
  var path: String { "\(folder.path)/journal" }

  init() throws {
    folder = TemporaryFolder()
  }

  func recovered() throws -> [JournalSession] { try JournalReader.read(directory: path).sessions }

  @Test("what was appended is read back, whether the recorder was closed or killed")
  func roundTrip() throws {
    let events = Samples.beginning + (0..<50).map { Samples.measurement($0) }
    do {
      let (journal, before) = try Journal.open(directory: path)
      #expect(before.sessions.isEmpty)
      try journal.open(Samples.header(), events: Samples.beginning)
      for event in events.dropFirst(3) { try journal.append(event, to: Samples.session) }
      #expect(try journal.capture(of: Samples.session).capture == Capture(header: Samples.header(), events: events))
    }
    let (_, after) = try Journal.open(directory: path)
    #expect(
      after.sessions == [
        JournalSession(capture: Capture(header: Samples.header(), events: events), state: .open)
      ])
    #expect(after.damageCount == 0)
  }

  @Test("each call makes exactly one write and no sync")
  func oneWrite() throws {
    func writes() throws -> Int {
      let descriptor = unsafe open("/proc/thread-self/io", O_RDONLY)
      let text = try OpenFile(descriptor: descriptor).read(atMost: 1000).lines
      let line = try #require(text.first { $0.hasPrefix("syscw: ") })
      return try #require(Int(line.dropFirst(7)))
    }
    let (journal, _) = try Journal.open(directory: path, configuration: JournalConfiguration(segmentBytes: 2000))
    var before = try writes()
    try journal.open(Samples.header(), events: Samples.beginning)
    #expect(try writes() == before + 1)
    for second in 0..<200 {
      before = try writes()
      try journal.append(Samples.measurement(second), to: Samples.session)
      #expect(try writes() == before + 1)
    }
    before = try writes()
    try journal.commit(Samples.session)
    #expect(try writes() == before + 1)
    #expect(TemporaryFolder.names(path).count > 3)
  }

  @Test("a new segment begins at the size limit, and a session continues across segments")
  func rolling() throws {
    let events = Samples.beginning + (0..<300).map { Samples.measurement($0) }
    let (journal, _) = try Journal.open(directory: path, configuration: JournalConfiguration(segmentBytes: 1000))
    try journal.open(Samples.header(), events: [])
    for event in events { try journal.append(event, to: Samples.session) }
    #expect(TemporaryFolder.names(path).count > 10)
    for name in TemporaryFolder.names(path) {
      #expect(try TemporaryFolder.read("\(path)/\(name)").count < 1100)
    }
    #expect(try recovered().map(\.capture.events) == [events])
    #expect(try journal.capture(of: Samples.session).capture.events == events)
  }

  @Test("two sensors are two sessions, in order each, whatever the order of their records")
  func twoSensors() throws {
    let (journal, _) = try Journal.open(directory: path, configuration: JournalConfiguration(segmentBytes: 1500))
    try journal.open(Samples.header(), events: Samples.beginning)
    try journal.open(Samples.header(Samples.other, name: nil), events: Samples.beginning)
    for second in 0..<100 {
      try journal.append(Samples.measurement(second, [0, 60]), to: second % 3 == 0 ? Samples.session : Samples.other)
    }
    let sessions = try recovered()
    #expect(sessions.map(\.capture.session) == [Samples.session, Samples.other])
    #expect(
      sessions[0].capture.events.dropFirst(3).map(\.instant)
        == stride(from: 0, to: 100, by: 3).map {
          Samples.measurement($0).instant
        })
    #expect(sessions[1].capture.events.count == 3 + 66)
  }

  @Test("after a crash an open session continues under its UUID, and an ended one is known to have ended")
  func goingOn() throws {
    let end = SensorEvent(.ended(.away), at: BootInstant(microseconds: 8_200_000_000))
    do {
      let (journal, _) = try Journal.open(directory: path)
      try journal.open(Samples.header(), events: Samples.beginning)
      try journal.open(Samples.header(Samples.other), events: Samples.beginning)
      try journal.append(end, to: Samples.other)
    }
    do {
      let (journal, found) = try Journal.open(directory: path)
      #expect(found.sessions.map(\.state) == [.open, .ended])
      try journal.append(
        SensorEvent(.boot(BootIdentifier(high: 1, low: 2)), at: BootInstant(microseconds: 5)), to: Samples.session)
      try journal.append(Samples.measurement(1), to: Samples.session)
      try journal.commit(Samples.other)
      #expect(throws: JournalError.self) { try journal.append(end, to: Samples.other) }
    }
    let found = try recovered()
    #expect(found.map(\.state) == [.open, .committed])
    #expect(found[0].capture.events.count == 5)
    #expect(found[0].capture.events.last == Samples.measurement(1))
  }

  @Test("metadata and the session that is continued come back, also from later segments alone")
  func header() throws {
    var header = Samples.header()
    header.metadata = ["game": "Tetris \"99\"", "": "\n"]
    header.linkedTo = Samples.other
    let (journal, _) = try Journal.open(directory: path, configuration: JournalConfiguration(segmentBytes: 500))
    try journal.open(header, events: Samples.beginning)
    for second in 0..<40 { try journal.append(Samples.measurement(second), to: Samples.session) }
    #expect(try recovered().first?.capture.header == header)
    let names = TemporaryFolder.names(path)
    _ = unsafe remove("\(path)/\(names[0])")
    let rest = try #require(try recovered().first?.capture)
    #expect(rest.header == header)
    // Instants keep their meaning though the records that gave it are gone.
    #expect(rest.events.prefix(2).map(\.kind) == Samples.beginning.prefix(2).map(\.kind))
    #expect(rest.events.last == Samples.measurement(39))
  }

  @Test("segments go when all their sessions are committed, and not before")
  func pruning() throws {
    let (journal, _) = try Journal.open(directory: path, configuration: JournalConfiguration(segmentBytes: 500))
    try journal.open(Samples.header(), events: Samples.beginning)
    for second in 0..<40 { try journal.append(Samples.measurement(second), to: Samples.session) }
    try journal.open(Samples.header(Samples.other), events: Samples.beginning)
    let before = TemporaryFolder.names(path).count
    try journal.commit(Samples.session)
    #expect(TemporaryFolder.names(path).count >= before)
    try journal.sync()
    let names = TemporaryFolder.names(path)
    #expect(names.count <= 2)
    #expect(try recovered().map(\.capture.session).contains(Samples.other))
    try journal.append(Samples.measurement(41), to: Samples.other)
    try journal.commit(Samples.other)
    try journal.sync()
    #expect(TemporaryFolder.names(path).isEmpty)
    try journal.open(Samples.header(UUID()), events: Samples.beginning)
    #expect(try recovered().count == 1)
  }

  @Test("a session that was committed is never found again as anything else, at whatever moment the recorder stops")
  func committedStaysCommitted() throws {
    do {
      let (journal, _) = try Journal.open(directory: path)
      try journal.open(Samples.header(), events: Samples.beginning)
      try journal.commit(Samples.session)
    }
    #expect(try recovered().map(\.state) == [.committed])
    let (journal, _) = try Journal.open(directory: path)
    try journal.sync()
    #expect(TemporaryFolder.names(path).isEmpty)
  }

  @Test("files are 0600 in 0700, the service's 0640 in 0750, whatever the umask")
  func permissions() async {
    // A process of its own has an umask of its own: one that takes everything from the group, and one that takes nothing.
    await #expect(processExitsWith: .success) {
      let folder = TemporaryFolder()
      for mask: mode_t in [0o077, 0] {
        umask(mask)
        for (directoryMode, fileMode) in [(UInt32(0o700), UInt32(0o600)), (0o750, 0o640)] {
          let path = "\(folder.path)/\(mask)-\(fileMode)"
          let (journal, _) = try Journal.open(
            directory: path, configuration: JournalConfiguration(directoryMode: directoryMode, fileMode: fileMode))
          try journal.open(Samples.header(), events: Samples.beginning)
          #expect(try TemporaryFolder.mode(path) == directoryMode)
          #expect(try TemporaryFolder.mode("\(path)/00000001.journal") == fileMode)
        }
      }
    }
  }

  @Test("a second recorder on the same folder is refused, and another folder is another journal")
  func twoJournals() throws {
    let (journal, _) = try Journal.open(directory: path)
    #expect(throws: JournalError(.locked, path: path)) { try Journal.open(directory: path) }
    let (second, _) = try Journal.open(directory: "\(path)-2")
    try journal.open(Samples.header(), events: Samples.beginning)
    try second.open(Samples.header(Samples.other), events: Samples.beginning)
    #expect(try recovered().map(\.capture.session) == [Samples.session])
  }

  @Test("foreign, newer and unreadable files are set aside under a name that says why, and the rest is read")
  func foreignFiles() throws {
    do {
      let (journal, _) = try Journal.open(directory: path)
      try journal.open(Samples.header(), events: Samples.beginning)
    }
    let newer = Array("sensord-journal 7".utf8)
    let checksum = String(CRC32C.checksum(newer.span, 0..<newer.count), radix: 16)
    try TemporaryFolder.write(
      newer + Array(" \(String(repeating: "0", count: 8 - checksum.count))\(checksum)\n".utf8),
      to: "\(path)/00000007.journal")
    try TemporaryFolder.write(Array("a letter\n".utf8), to: "\(path)/00000002.journal")
    try TemporaryFolder.write(Array("another\n".utf8), to: "\(path)/00000002.journal.not-a-journal")
    try TemporaryFolder.write(Array("notes\n".utf8), to: "\(path)/notes.txt")
    try TemporaryFolder.write([], to: "\(path)/00000009.journal")
    _ = unsafe mkfifo("\(path)/00000003.journal", 0o600)
    _ = unsafe mkdir("\(path)/00000004.journal", 0o700)
    _ = unsafe symlink("/etc/passwd", "\(path)/00000005.journal")
    #expect(try JournalReader.read(directory: path).foreignFiles.allSatisfy { $0.setAsideAs == nil })
    let (journal, found) = try Journal.open(directory: path)
    #expect(found.sessions.map(\.capture.events) == [Samples.beginning])
    #expect(
      found.foreignFiles == [
        ForeignFile(
          name: "00000002.journal", reason: .notAJournal, setAsideAs: "00000002.journal.not-a-journal-2"),
        ForeignFile(
          name: "00000003.journal", reason: .unreadable(EINVAL), setAsideAs: "00000003.journal.unreadable"),
        ForeignFile(
          name: "00000004.journal", reason: .unreadable(EISDIR), setAsideAs: "00000004.journal.unreadable"),
        ForeignFile(
          name: "00000005.journal", reason: .unreadable(ELOOP), setAsideAs: "00000005.journal.unreadable"),
        ForeignFile(
          name: "00000007.journal", reason: .newerVersion(7), setAsideAs: "00000007.journal.newer-version-7"),
      ])
    try journal.append(Samples.measurement(1), to: Samples.session)
    #expect(TemporaryFolder.names(path).contains("00000010.journal"))
    #expect(TemporaryFolder.names(path).contains("notes.txt"))
  }

  @Test("a segment that may not be read keeps its place, and is taken up when it may; a folder is set aside")
  func permissionMissing() async {
    await #expect(processExitsWith: .success) {
      // Root may read everything.
      if getuid() == 0 {
        #expect(setgid(65534) == 0)
        #expect(setuid(65534) == 0)
      }
      let folder = TemporaryFolder()
      let path = "\(folder.path)/journal"
      do {
        let (journal, _) = try Journal.open(directory: path)
        try journal.open(Samples.header(), events: Samples.beginning)
      }
      #expect(unsafe chmod("\(path)/00000001.journal", 0) == 0)
      do {
        let (journal, found) = try Journal.open(directory: path)
        let waiting = ForeignFile(name: "00000001.journal", reason: .unreadable(EACCES), owner: getuid())
        #expect(found.foreignFiles == [waiting] && found.sessions.isEmpty)
        #expect(try JournalReader.read(directory: path).foreignFiles == [waiting])
        let line = waiting.line(in: path)
        #expect(line.contains("Permission denied") && line.contains("belongs to user \(getuid())"), "\(line)")
        #expect(line.contains("sudo chown --reference='\(path)' '\(path)/00000001.journal'"), "\(line)")
        try journal.open(Samples.header(Samples.other), events: Samples.beginning)
      }
      #expect(unsafe chmod("\(path)/00000001.journal", 0o600) == 0)
      do {
        let (_, found) = try Journal.open(directory: path)
        #expect(found.foreignFiles.isEmpty)
        #expect(found.sessions.map(\.capture.session) == [Samples.session, Samples.other])
      }
      #expect(unsafe chmod("\(path)/00000001.journal", 0) == 0)
      for mode in [mode_t(0), 0o500] {
        #expect(unsafe chmod(path, mode) == 0)
        let (journal, found) = try Journal.open(directory: path)
        let name = mode == 0 ? "journal.unreadable" : "journal.unreadable-2"
        #expect(
          found.foreignFiles == [ForeignFile(name: "journal", reason: .unreadable(EACCES), setAsideAs: name)])
        #expect(found.sessions.isEmpty)
        try journal.open(Samples.header(), events: Samples.beginning)
        #expect(unsafe chmod("\(folder.path)/\(name)", 0o700) == 0)
      }
      #expect(try JournalReader.read(directory: "\(path).unreadable").sessions.count == 1)
    }
  }

  @Test("a segment with a damaged record is renamed when its sessions are committed, not deleted")
  func damagedSegment() throws {
    do {
      let (journal, _) = try Journal.open(directory: path)
      try journal.open(Samples.header(), events: Samples.beginning)
      try journal.append(Samples.measurement(1), to: Samples.session)
    }
    var bytes = try TemporaryFolder.read("\(path)/00000001.journal")
    bytes[bytes.count - 20] ^= 1
    try TemporaryFolder.write(bytes, to: "\(path)/00000001.journal")
    let (journal, found) = try Journal.open(directory: path)
    #expect(found.damages.map(\.reason) == [.checksum])
    #expect(found.damages.first?.file == "00000001.journal")
    try journal.commit(Samples.session)
    try journal.sync()
    #expect(TemporaryFolder.names(path) == ["00000001.journal.damaged"])
  }

  /// A journal of one session with records of a later version in its segment.
  private func writeLater() throws {
    do {
      let (journal, _) = try Journal.open(directory: path)
      try journal.open(Samples.header(), events: Samples.beginning)
      try journal.open(Samples.header(Samples.other), events: Samples.beginning)
    }
    let bytes = try TemporaryFolder.read("\(path)/00000001.journal")
    let later = [
      "1 8123000000 ecg 1 2 3", "2 8123000000 ecg 4 5 6", "workout \(Samples.session.uuidString.lowercased()) 7 8",
    ]
    try TemporaryFolder.write(bytes + later.flatMap(Samples.line), to: "\(path)/00000001.journal")
  }

  @Test("a segment with records of a later version is not damaged: they are reported, and preserved with their session")
  func laterKinds() throws {
    try writeLater()
    let (journal, found) = try Journal.open(directory: path)
    #expect(found.damageCount == 0 && found.unknownRecordCount == 3)
    #expect(found.unknownRecords.first?.file == "00000001.journal")
    let capture = try journal.capture(of: Samples.session).capture
    #expect(capture.carried == [CarriedRecord(eventsBefore: Samples.beginning.count, fields: "8123000000 ecg 1 2 3")])
    try journal.commit(Samples.session)
    try journal.commit(Samples.other)
    try journal.sync()
    #expect(TemporaryFolder.names(path).isEmpty)
  }

  @Test("deleting a session deletes its records of a later version, and keeps those of other sessions")
  func erasedLaterKinds() throws {
    try writeLater()
    let (journal, _) = try Journal.open(directory: path)
    try journal.commit(Samples.session)
    try journal.erase(Samples.session)
    let text = String(decoding: try TemporaryFolder.read("\(path)/00000001.journal"), as: UTF8.self)
    #expect(!text.contains("ecg 1 2 3") && !text.contains("workout"))
    #expect(text.contains("ecg 4 5 6"))
  }

  @Test("later metadata of an open session are kept across a restart, even if its first segment is lost")
  func laterMetadata() throws {
    do {
      let (journal, _) = try Journal.open(directory: path)
      try journal.open(Samples.header(), events: Samples.beginning)
      try journal.setMetadata(["level": .integer(2), "game": "chess"], of: Samples.session)
      try journal.setMetadata(["level": .integer(3)], of: Samples.session)
      #expect(throws: JournalError.self) { try journal.setMetadata([:], of: Samples.other) }
    }
    let expected: Metadata = ["level": .integer(3), "game": "chess"]
    do {
      let (journal, found) = try Journal.open(directory: path)
      #expect(found.sessions.first?.capture.header.metadata == expected)
      try journal.append(Samples.measurement(1), to: Samples.session)
    }
    TemporaryFolder.delete("\(path)/00000001.journal")
    #expect(try JournalReader.read(directory: path).sessions.first?.capture.header.metadata == expected)
  }

  @Test("a journal that is cut off at any byte gives what is before the cut")
  func everyTruncation() throws {
    let events = Samples.beginning + (0..<5).map { Samples.measurement($0) }
    do {
      let (journal, _) = try Journal.open(directory: path, configuration: JournalConfiguration(segmentBytes: 400))
      try journal.open(Samples.header(), events: Samples.beginning)
      for event in events.dropFirst(3) { try journal.append(event, to: Samples.session) }
    }
    let name = try #require(TemporaryFolder.names(path).last)
    let bytes = try TemporaryFolder.read("\(path)/\(name)")
    for length in 0..<bytes.count {
      for filler in [0, 700] {
        try TemporaryFolder.write(
          Array(bytes[..<length]) + [UInt8](repeating: 0, count: filler), to: "\(path)/\(name)")
        let found = try JournalReader.read(directory: path)
        #expect(found.foreignFiles.isEmpty)
        #expect(found.damages.allSatisfy { $0.isExpectedAfterCrash })
        for session in found.sessions {
          #expect(events.starts(with: session.capture.events))
        }
      }
    }
  }

  @Test("zeros in place of a write cost that write alone")
  func hole() throws {
    let events = Samples.beginning + (0..<5).map { Samples.measurement($0) }
    do {
      let (journal, _) = try Journal.open(directory: path)
      try journal.open(Samples.header(), events: Samples.beginning)
      for event in events.dropFirst(3) { try journal.append(event, to: Samples.session) }
    }
    var bytes = try TemporaryFolder.read("\(path)/00000001.journal")
    let starts = [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
    for position in starts[6]..<starts[7] { bytes[position] = 0 }
    try TemporaryFolder.write(bytes, to: "\(path)/00000001.journal")
    let found = try JournalReader.read(directory: path)
    #expect(found.damages.map(\.reason) == [.zeros])
    #expect(found.sessions.first?.capture.events == Array(events[..<4] + events[5...]))
  }
}
