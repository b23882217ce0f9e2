import Captures
import FoundationEssentials
import Glibc
import HealthModel
import RecordingSamples
import SeriesStore
import TestSupport
import Testing

@testable import Reports

@Suite("Backup and restore")
struct BackupTests {
  private let files: RecordedFiles
  private let session: RecordedSession
  private let open = UUID(uuidString: "3F2A0000-1111-4222-8333-444444444444")!
  private let settings = "[captures]\nkeep = no\n"
  private var folder: TemporaryFolder { files.folder }
  private var file: String { "\(folder.path)/backup.tar" }
  private var place: StoreLocation { StoreLocation(path: "\(folder.path)/new/sensord.sqlite") }

  init() throws {
    files = try RecordedFiles()
    session = try SampleSession.recorded()
  }

  /// A store with a session and an attachment, a journal with an open session, and settings; and the backup of it all.
  private func backedUp() async throws -> Backup.Report {
    _ = try await files.store.commit(session)
    let source = SourceRevision(identifier: "clinic", name: "Clinic")
    let glasses = VisionPrescription.glasses(
      GlassesPrescription(rightEye: nil, leftEye: GlassesLensSpecification(sphere: 1)))
    let sample = try NewSample(glasses, issued: Timestamp(microseconds: 5))
    try await files.store.save([sample], as: source)
    let scan = try folder.write("scan.pdf", "%PDF-1.4\nstartxref\n9\n%%EOF\n")
    let descriptor = unsafe Glibc.open(scan, O_RDONLY)
    defer { close(descriptor) }
    _ = try await files.store.addAttachment(to: sample.id, name: "scan.pdf", from: descriptor)
    try files.leaveJournal(of: [open])
    return try makeBackup(settings: folder.write("settings.conf", settings))
  }

  private func makeBackup(settings: String? = nil) throws -> Backup.Report {
    var backup = Backup(of: files.location, configuration: settings, version: "0.1.0", time: 1) { _ in }
    return try backup.make(file)
  }

  private func restore(_ path: String? = nil, configuration: String? = nil) throws -> BackupRestoration.Report {
    try BackupRestoration(to: place, configuration: configuration) { _ in }.restore(path ?? file)
  }

  private func refusal(_ path: String? = nil) -> FileError? {
    #expect(throws: FileError.self) { _ = try restore(path) }
  }

  private func anchor(of store: HealthStore) async throws -> ChangeAnchor {
    try await ChangeQuery(after: .start).result(for: store).value.anchor
  }

  /// The names at the place where a store is to be restored.
  private var names: [String] { TemporaryFolder.names(place.directory) }

  @Test("everything comes back: the store with its mark, attachments, the journal and the settings")
  func everything() async throws {
    let report = try await backedUp()
    #expect(report.attachments == 1 && report.journalFiles == 1 && report.hasConfiguration && report.leftOut.isEmpty)
    #expect(folder.mode(of: "backup.tar") == 0o600 && report.length == folder.bytes(of: "backup.tar").count)
    let restored = try restore(configuration: "\(folder.path)/etc/sensord.conf")
    #expect(restored.change == report.change && restored.attachments == 1 && restored.journalFiles == 1)
    #expect(folder.bytes(of: "etc/sensord.conf") == Array(settings.utf8))
    #expect(names == ["sensord.attachments", "sensord.journal", "sensord.sqlite", "sensord.sqlite-recorder"])

    let catalogue = try SessionCatalogue(place, isNamed: true, version: "0.1.0")
    #expect(try await catalogue.list().sessions == (try await files.catalogue().list().sessions))
    #expect(Set(try await catalogue.list().sessions.map(\.id)) == [session.id, open])
    let store = try HealthStore.open(place.path, for: .reading)
    #expect(try await store.check() == [])
    #expect(try await store.restorations().map(\.change) == [report.change])
    #expect(try await files.store.restorations() == [])
    #expect(
      TemporaryFolder.names(place.journal).map { folder.bytes(of: "new/sensord.journal/\($0)") }
        == TemporaryFolder.names(files.location.journal).map { folder.bytes(of: "store.journal/\($0)") })
  }

  @Test("a restored store is a store as any other: it is recorded into, backed up and restored again")
  func again() async throws {
    let report = try await backedUp()
    _ = try restore()
    let store = try HealthStore.open(place.path, for: .writing)
    // The same session comes once.
    #expect(try await store.commit(session) == .unchanged)
    await store.close()
    let second = "\(folder.path)/second.tar"
    var backup = Backup(of: place, configuration: nil, version: "0.1.0", time: 1) { _ in }
    let made = try backup.make(second)
    #expect(made.change == report.change)
    let third = StoreLocation(path: "\(folder.path)/third/a.sqlite")
    _ = try BackupRestoration(to: third, configuration: nil) { _ in }.restore(second)
    let again = try HealthStore.open(third.path, for: .reading)
    #expect(try await again.restorations().map(\.change) == [report.change, report.change])
    #expect(Set(try await again.restorations().map(\.id)).count == 2)
  }

  @Test("a backup that ends early is refused by its name at every block and between, and nothing is left")
  func cut() async throws {
    _ = try await backedUp()
    let whole = folder.bytes(of: "backup.tar")
    var random = SeededGenerator(seed: 39)
    let step = max(512, whole.count / 60 / 512 * 512)
    let lengths = Set(stride(from: 0, to: whole.count, by: step)).union([whole.count - 1, whole.count - 512, 1, 600])
      .union((0..<20).map { _ in Int.random(in: 0..<whole.count, using: &random) })
    for length in lengths.sorted() {
      let part = try folder.write("part.tar", Array(whole[..<length]))
      let error = refusal(part)
      #expect(error?.code == .unsuitable, "\(length)")
      #expect(error?.message.contains(part) ?? false, "\(length): \(error?.message ?? "")")
      #expect(names.isEmpty, "\(length): \(names)")
    }
  }

  @Test("a flipped bit anywhere is refused, and so is what stands behind the end")
  func flipped() async throws {
    _ = try await backedUp()
    let whole = folder.bytes(of: "backup.tar")
    var random = SeededGenerator(seed: 7)
    // The last blocks are the checksums and the end, the first ones small files with much padding.
    let bits =
      (0..<60).map { _ in Int.random(in: 0..<whole.count * 8, using: &random) }
      + (0..<40).map { _ in Int.random(in: 0..<8_192 * 8, using: &random) }
      + (0..<40).map { _ in Int.random(in: (whole.count - 2_560) * 8..<whole.count * 8, using: &random) }
    for bit in bits {
      var bytes = whole
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      let other = try folder.write("flipped.tar", bytes)
      let error = refusal(other)
      #expect(error?.code == .unsuitable, "bit \(bit)")
      #expect(error?.message.contains(other) ?? false, "bit \(bit): \(error?.message ?? "")")
      #expect(names.isEmpty, "bit \(bit)")
    }
    #expect(refusal(try folder.write("longer.tar", whole + [0]))?.code == .unsuitable)
    _ = try restore()
  }

  @Test("what is no backup, or one of a later version, is refused with what it is")
  func foreign() async throws {
    #expect(refusal("\(folder.path)/none.tar")?.code == .missing)
    let letter = try folder.write("letter.tar", [UInt8](repeating: 65, count: 4_096))
    #expect(refusal(letter)?.message.contains("is no backup") ?? false)
    let newer = Array("sensord-backup 2 sensord 9.0\n".utf8)
    let later = try folder.write(
      "newer.tar",
      TarHeader(name: BackupForm.description, size: newer.count, time: 0).bytes + newer
        + [UInt8](repeating: 0, count: TarHeader.padding(newer.count)))
    #expect(refusal(later)?.message.contains("newer sensord") ?? false)
    #expect(names.isEmpty)
  }

  @Test("no name of a backup leads out of its place")
  func strayNames() {
    for name in [
      "sensord.journal/../x", "sensord.journal/", "/etc/passwd", "sensord.sqlite/x", "../sensord.sqlite", "other",
      "sensord.journal/00000001.journal/x", "sensord.journal/00000001.journal.rewriting", "sensord.attachments/x",
      "sensord.attachments/" + String(repeating: ".", count: 32) + "-" + String(repeating: "/", count: 64),
    ] {
      #expect(BackupForm.place(of: name) == nil, "\(name)")
    }
  }

  @Test(
    "a place where something is, is refused and stays as it is",
    arguments: [
      "sensord.sqlite", "sensord.sqlite-wal", "sensord.journal/00000001.journal", "sensord.attachments/x",
      "sensord.conf",
    ])
  func taken(_ name: String) async throws {
    _ = try await backedUp()
    try folder.write("new/\(name)", "mine")
    let before = names
    let error = refusal()
    #expect(error?.code == .cannotCreate && error?.message.contains("already") ?? false)
    #expect(names == before && folder.bytes(of: "new/\(name)") == Array("mine".utf8))
  }

  @Test("a place that a recorder uses is refused, though its store was taken away")
  func used() async throws {
    _ = try await backedUp()
    let lock = try folder.write("new/sensord.sqlite-recorder", [])
    let descriptor = unsafe Glibc.open(lock, O_RDWR | O_CLOEXEC)
    #expect(flock(descriptor, LOCK_EX) == 0)
    #expect { _ = try restore() } throws: { ($0 as? StoreError)?.code == .locked }
    #expect(names == ["sensord.sqlite-recorder"])
    #expect(flock(descriptor, LOCK_UN) == 0)
    close(descriptor)
    _ = try restore()
  }

  @Test("a folder of another user is refused")
  func otherOwner() async {
    await #expect(processExitsWith: .success) {
      // Only root can make a folder that is another's.
      guard getuid() == 0 else { return }
      let folder = TemporaryFolder()
      let store = try HealthStore.open(folder.store, for: .writing)
      await store.close()
      let location = StoreLocation(path: folder.store)
      var backup = Backup(of: location, configuration: nil, version: "0.1.0", time: 1) { _ in }
      _ = try backup.make("\(folder.path)/backup.tar")
      try folder.write("new/x", [])
      for (name, mode) in [("", mode_t(0o755)), ("new", 0o777), ("backup.tar", 0o644)] {
        #expect(unsafe chmod("\(folder.path)/\(name)", mode) == 0)
      }
      #expect(setgid(65534) == 0 && setuid(65534) == 0)
      let restoration = BackupRestoration(
        to: StoreLocation(path: "\(folder.path)/new/sensord.sqlite"), configuration: nil
      ) { _ in }
      #expect { _ = try restoration.restore("\(folder.path)/backup.tar") } throws: {
        ($0 as? FileError)?.code == .permission
      }
      #expect(TemporaryFolder.names("\(folder.path)/new") == ["x"])
    }
  }

  @Test("other settings in their place stay, and those of the backup are beside the store")
  func otherSettings() async throws {
    _ = try await backedUp()
    let present = try folder.write("etc/sensord.conf", "[captures]\nkeep = 1h\n")
    #expect(try restore(configuration: present).configuration == place.configurationBeside)
    #expect(folder.bytes(of: "new/sensord.conf") == Array(settings.utf8))
    #expect(folder.bytes(of: "etc/sensord.conf") == Array("[captures]\nkeep = 1h\n".utf8))
  }

  @Test("a backup that was given up leaves what was there, and nothing hidden")
  func interrupted() async throws {
    _ = try await backedUp()
    let (before, whole) = (folder.names, folder.bytes(of: "backup.tar"))
    struct Enough: Error {}
    for most in [0, 1, 3, 5] {
      var calls = 0
      var backup = Backup(of: files.location, configuration: nil, version: "0.1.0", time: 1) { _ in
        calls += 1
        if calls > most { throw Enough() }
      }
      #expect(throws: Enough.self) { _ = try backup.make(file) }
      #expect(folder.names == before && folder.bytes(of: "backup.tar") == whole, "\(most)")
    }
    for most in [0, 1, 3] {
      var calls = 0
      let restoration = BackupRestoration(to: place, configuration: nil) { _ in
        calls += 1
        if calls > most { throw Enough() }
      }
      #expect(throws: Enough.self) { _ = try restoration.restore(file) }
      #expect(names.isEmpty, "\(most): \(names)")
    }
  }

  @Test("a backup does not replace what it is of")
  func ownFile() async throws {
    _ = try await backedUp()
    let settings = "\(folder.path)/settings.conf"
    for path in [folder.store, settings] {
      var backup = Backup(of: files.location, configuration: settings, version: "0.1.0", time: 1) { _ in }
      #expect(throws: FileError.self) { _ = try backup.make(path) }
    }
    #expect(folder.bytes(of: "store.sqlite").starts(with: Array("SQLite format 3".utf8)))
  }

  @Test("a missing file of an attachment is named, and the rest is in the backup")
  func missingAttachment() async throws {
    _ = try await backedUp()
    let name = try #require(TemporaryFolder.names(files.location.attachments).first)
    unsafe unlink("\(files.location.attachments)/\(name)")
    let report = try makeBackup()
    #expect(report.attachments == 0 && report.leftOut.count == 1 && report.leftOut[0].contains(name))
    #expect(try restore().change == report.change)
  }

  @Test("plain tar and sha256sum read a backup")
  func plainTools() async throws {
    _ = try await backedUp()
    let (output, errors) = (try OutputFile(), try OutputFile())
    let script = "mkdir t && tar xf backup.tar -C t && cd t && sha256sum --strict -c SHA256SUMS && ls"
    let program = try StartedProgram(
      "/bin/sh", ["-c", "cd '\(folder.path)' && \(script)"], output: output.descriptor, errors: errors.descriptor)
    #expect(program.wait() == 0, "\(errors.text)")
    #expect(output.text.contains("sensord.sqlite: OK\n") && output.text.hasSuffix("sensord.sqlite\n"))
  }

  @Test("each backup beside a program that writes is one state of its history")
  func besideWriter() async throws {
    let store = files.store
    let writer = Task {
      var session = try SampleSession.recorded()
      var count = 0
      while !Task.isCancelled {
        session.id = UUID()
        _ = try await store.commit(session)
        count += 1
      }
      return count
    }
    var changes: [Int64] = []
    for number in 0..<4 {
      let last = changes.last ?? 0
      // Something has to be new each time.
      while try await anchor(of: store).place?.number ?? 0 <= last { await Task.yield() }
      changes.append(try makeBackup().change)
      let location = StoreLocation(path: "\(folder.path)/\(number)/sensord.sqlite")
      _ = try BackupRestoration(to: location, configuration: nil) { _ in }.restore(file)
      let restored = try HealthStore.open(location.path, for: .reading)
      #expect(try await restored.check() == [])
      // The digest of the whole history up to there is that of the original.
      let anchor = try await anchor(of: restored)
      #expect(anchor.place?.number == changes.last)
      _ = try await store.history(after: anchor, limit: 1)
    }
    writer.cancel()
    #expect(try await writer.value > 3)
    #expect(Set(changes).count == 4)
  }
}
