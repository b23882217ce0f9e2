import FoundationEssentials
import Glibc
import HealthModel
import Support
import TestSupport
import Testing

@testable import SeriesStore

/// Testing has a type of that name, too.
private typealias Attachment = HealthModel.Attachment

@Suite("Attachments")
struct AttachmentStoreTests {
  let folder = TemporaryFolder()
  private let program = SourceRevision(identifier: "clinic", name: "Clinic")
  private static let pdf = Array("%PDF-1.4\n(a very private remark)\nstartxref\n9\n%%EOF\n".utf8)

  private var fileNames: [String] { TemporaryFolder.names(folder.path + "/store.attachments") }
  /// Those of files without the identities of their stores.
  private var names: [String] { fileNames.map { $0.utf8.count == 97 ? String($0.suffix(64)) : $0 }.sorted() }

  private func path(of attachment: Attachment) throws -> String {
    "store.attachments/" + (try #require(fileNames.first { $0.hasSuffix(attachment.digest) }))
  }

  private func open() throws -> HealthStore { try HealthStore.open(folder.store, for: .writing) }

  private func object(in store: HealthStore, sync: SyncIdentity? = nil) async throws -> UUID {
    let glasses = VisionPrescription.glasses(
      GlassesPrescription(rightEye: nil, leftEye: GlassesLensSpecification(sphere: 1)))
    let sample = try NewSample(glasses, issued: Timestamp(microseconds: 5), sync: sync)
    try await store.save([sample], as: program)
    return sample.id
  }

  private func descriptor(_ bytes: [UInt8]) throws -> Int32 {
    let path = try folder.write("source-\(UInt64.random(in: 0 ... .max))", bytes)
    let number = unsafe Glibc.open(path, O_RDONLY)
    unsafe unlink(path)
    return number
  }

  private func add(
    _ bytes: [UInt8], to object: UUID, named name: String = "scan.png", type: AttachmentContentType? = nil,
    savedBy source: String? = nil, in store: HealthStore
  ) async throws -> Attachment {
    let number = try descriptor(bytes)
    defer { close(number) }
    return try await store.addAttachment(
      to: object, name: name, contentType: type, from: number, metadata: ["page": 1], savedBy: source)
  }

  private func bytes(of attachment: Attachment, in store: HealthStore) async throws -> [UInt8] {
    var data = try await store.data(of: attachment)
    var bytes: [UInt8] = []
    while let piece = try data.next() { bytes += piece }
    return bytes
  }

  @Test("a file is kept with its name, type by its bytes, size, digest and metadata, for its owner's eyes only")
  func kept() async throws {
    let store = try open()
    let object = try await object(in: store)
    let added = try await add(Self.pdf, to: object, named: "../../\u{202E}scan.png", in: store)
    #expect(added.contentType == .pdf && added.size == Self.pdf.count && added.metadata == ["page": 1])
    #expect(added.name == "../../\u{202E}scan.png" && names == [added.digest])
    #expect(try await store.attachments(for: object) == [added])
    #expect(try await bytes(of: added, in: store) == Self.pdf)
    #expect(try await store.check() == [])
    var status = stat()
    #expect(unsafe stat(folder.path + "/store.attachments", &status) == 0 && status.st_mode & 0o777 == 0o700)
    #expect(unsafe stat(folder.path + "/" + (try path(of: added)), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("what cannot be attached is a typed error, and leaves nothing")
  func refused() async throws {
    let store = try open()
    let object = try await object(in: store)
    let rate = try NewSample(.heartRate, Quantity(60, .countPerMinute), over: TimeSpan(at: Timestamp(microseconds: 5)))
    try await store.save(rate, as: program)
    func code(_ body: () async throws -> Attachment) async -> StoreError.Code? {
      do { _ = try await body() } catch { return (error as? StoreError)?.code }
      return nil
    }
    #expect(
      await code { try await add(Self.pdf, to: rate.id, in: store) } == .attachment(.kindWithoutAttachments(.quantity)))
    #expect(await code { try await add(Self.pdf, to: UUID(), in: store) } == .notFound)
    #expect(await code { try await add(Self.pdf, to: object, savedBy: "other", in: store) } == .notFound)
    #expect(
      await code { try await add(Self.pdf, to: object, named: "a\0", in: store) }
        == .attachment(.controlCharacterInName))
    #expect(await code { try await add([1, 2, 3], to: object, in: store) } == .attachment(.unknownContent))
    #expect(await code { try await add([], to: object, in: store) } == .attachment(.empty))
    #expect(
      await code { try await add(Array(Self.pdf.dropLast(8)), to: object, in: store) }
        == .attachment(.malformed(.pdf)))
    #expect(
      await code { try await add(Self.pdf, to: object, type: .png, in: store) }
        == .attachment(.otherContent(said: .png, found: .pdf)))
    #expect(
      await code { try await add(Self.pdf, to: object, named: String(repeating: "a", count: 10_240), in: store) }
        == .attachment(.longName(bytes: 10_240)))
    #expect(
      await code { try await add(Array("GIF89a;%PDF-1.4".utf8), to: object, in: store) }
        == .attachment(.unknownContent))
    let polyglot = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Self.pdf
    #expect(await code { try await add(polyglot, to: object, in: store) } == .attachment(.ambiguous(.png, .pdf)))
    let huge = Self.pdf + [UInt8](repeating: 0, count: Attachment.largest)
    #expect(await code { try await add(huge, to: object, in: store) } == .attachment(.tooLarge))
    #expect(names == [])
    #expect(try await store.attachments(for: object) == [])
  }

  @Test("a sender that begins a file and then is silent is not waited for longer than was said, and leaves nothing")
  func silent() async throws {
    let store = try open()
    let object = try await object(in: store)
    var ends: [Int32] = [-1, -1]
    #expect(unsafe pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(unsafe write(ends[1], Self.pdf, Self.pdf.count) == Self.pdf.count)
    await #expect(throws: StoreError(AttachmentError.unreadable)) {
      _ = try await store.draftAttachment(
        to: object, name: "scan.pdf", contentType: nil, from: ends[0], metadata: [:], savedBy: nil, patience: 20)
    }
    #expect(fileNames == [])
  }

  @Test("equal files are one, which stays until the last object that has it is gone; then no byte of it is left")
  func counted() async throws {
    let store = try open()
    let (first, second) = (try await object(in: store), try await object(in: store))
    let one = try await add(Self.pdf, to: first, in: store)
    let other = try await add(Self.pdf, to: second, in: store)
    _ = try await add(Self.pdf, to: second, in: store)
    #expect(names == [one.digest] && one.digest == other.digest)
    try await store.delete([first], as: "clinic")
    #expect(names == [one.digest])
    try await store.removeAttachment(other.id)
    #expect(names == [one.digest])
    #expect(try await store.attachments(for: second).count == 1)
    try await store.delete(.all, as: "clinic")
    #expect(names == [])
    #expect(try await store.check() == [])
    await store.close()
    #expect(folder.names.contains("store.sqlite") && fileNames == [])
    for name in folder.names where name != "store.attachments" {
      let text = String(decoding: folder.bytes(of: name), as: UTF8.self)
      #expect(!text.contains("scan.png") && !text.contains("a very private remark"), "\(name)")
    }
  }

  @Test("a later version of its object takes the files along into deletion")
  func replaced() async throws {
    let store = try open()
    let first = try await object(in: store, sync: SyncIdentity(identifier: "a", version: 1))
    _ = try await add(Self.pdf, to: first, in: store)
    let second = try await object(in: store, sync: SyncIdentity(identifier: "a", version: 2))
    #expect(names == [])
    #expect(try await store.attachments(for: second) == [])
  }

  @Test("the next writer removes what no object has, keeps what is not ours, and follows no link")
  func swept() async throws {
    let store = try open()
    let added = try await add(Self.pdf, to: try await object(in: store), in: store)
    await store.close()
    let identity = String(try path(of: added).dropFirst(18).prefix(33))
    let stray = identity + String(repeating: "a", count: 64)
    try folder.write("store.attachments/\(stray)", [1])
    try folder.write("store.attachments/.new-\(identity)1", [1])
    try folder.write("store.attachments/notes.txt", [1])
    try folder.write("victim", [7])
    let link = identity + String(repeating: "b", count: 64)
    #expect(unsafe symlink(folder.path + "/victim", folder.path + "/store.attachments/" + link) == 0)
    let reader = try HealthStore.open(folder.store, for: .reading)
    // Each problem is named once.
    #expect(
      Set(try await reader.check().map(\.problem)) == [
        "a file belongs to no object; a program that opens the store to write removes it",
        "a file in their folder is none of them",
      ])
    let writer = try open()
    #expect(names == [added.digest, "notes.txt"].sorted() && folder.bytes(of: "victim") == [7])
    #expect(try await writer.check().map(\.problem) == ["a file in their folder is none of them"])
  }

  @Test("a copy that is on its way is not taken for one that a killed program left")
  func underWay() async throws {
    let store = try open()
    let object = try await object(in: store)
    let number = try descriptor(Self.pdf)
    defer { close(number) }
    let draft = try await store.draftAttachment(
      to: object, name: "scan.pdf", contentType: nil, from: number, metadata: [:], savedBy: nil)
    // A writer that opens the store meanwhile sweeps its folder.
    await (try open()).close()
    let added = try await store.attach(draft, to: object, name: "scan.pdf", metadata: [:], savedBy: nil)
    #expect(try await bytes(of: added, in: store) == Self.pdf)
    #expect(names == [added.digest])
  }

  @Test("a link in the place of the folder is not followed, whatever it leads to")
  func linkedFolder() async throws {
    let store = try open()
    let object = try await object(in: store)
    try folder.write("elsewhere/mine", [7])
    #expect(unsafe symlink(folder.path + "/elsewhere", folder.path + "/store.attachments") == 0)
    await #expect {
      try await add(Self.pdf, to: object, in: store)
    } throws: {
      ($0 as? StoreError)?.code == .cannotCreate
    }
    #expect(TemporaryFolder.names(folder.path + "/elsewhere") == ["mine"])
    #expect(try await store.check().map(\.object) == ["attachments"])
  }

  @Test("a check names missing, shorter and changed files; a link in place of one is a missing file")
  func checked() async throws {
    let store = try open()
    let object = try await object(in: store)
    let added = try await add(Self.pdf, to: object, in: store)
    let path = try path(of: added)
    func problem() async throws -> [String] { try await store.check().map(\.problem) }
    try folder.write(path, Array(Self.pdf.dropLast()))
    #expect(try await problem() == ["its file is not as long as it was"])
    // Known before a byte of it is given away, also where more stands behind what was attached.
    for length in [Self.pdf.dropLast(), Self.pdf + [0]] {
      try folder.write(path, Array(length))
      await #expect(throws: StoreError.self) { try await store.data(of: added) }
    }
    try folder.write(path, Array(Self.pdf.reversed()))
    #expect(try await problem() == ["its file is not as it was attached"])
    await #expect(throws: StoreError.self) { try await bytes(of: added, in: store) }
    unsafe unlink(folder.path + "/" + path)
    #expect(try await problem() == ["its file is missing"])
    try folder.write("copy", Self.pdf)
    #expect(unsafe symlink(folder.path + "/copy", folder.path + "/" + path) == 0)
    #expect(try await problem() == ["its file is missing"])
    await #expect(throws: StoreError.self) { try await store.data(of: added) }
    let forged = Attachment(
      id: added.id, object: object, name: "a", contentType: .pdf, size: added.size, digest: "/../../copy",
      added: added.added, metadata: [:])
    await #expect(throws: StoreError.self) { try await store.data(of: forged) }
    // The same file again mends it.
    _ = try await add(Self.pdf, to: object, in: store)
    #expect(try await problem() == [])
  }

  @Test("a store in the place of another leaves the other's files, and a check names them")
  func anotherStore() async throws {
    let store = try open()
    let added = try await add(Self.pdf, to: try await object(in: store), in: store)
    await store.close()
    let file = try path(of: added)
    try folder.write("store.attachments/.new-\(file.dropFirst(18).prefix(33))1", [1])
    let place = folder.path + "/moved"
    #expect(unsafe rename(folder.store, place) == 0)
    let other = try open()
    #expect(fileNames.count == 2)
    #expect(try await other.check().map(\.problem) == ["a file in their folder belongs to another store"])
    // Equal bytes in both stores are a file for each.
    let same = try await add(Self.pdf, to: try await object(in: other), in: other)
    #expect(same.digest == added.digest && fileNames.count == 3)
    try await other.delete(.all, as: "clinic")
    #expect(fileNames.count == 2)
    await other.close()
    unsafe unlink(folder.store)
    #expect(unsafe rename(place, folder.store) == 0)
    let back = try open()
    #expect(try await bytes(of: added, in: back) == Self.pdf)
    #expect(names == [added.digest])
    #expect(try await back.check() == [])
  }

  @Test("a damaged row does not cost the file that it named")
  func damagedRow() async throws {
    let store = try open()
    let added = try await add(Self.pdf, to: try await object(in: store), in: store)
    let equal = try await add(Self.pdf, to: try await object(in: store), in: store)
    await store.close()
    do {
      let connection = try Connection(folder.store, flags: 2)
      try connection.execute(
        "UPDATE attachments SET digest = zeroblob(32) WHERE uuid = x'\(Hexadecimal.text(added.id.bytes))'")
    }
    let writer = try open()
    #expect(names == [added.digest])
    // Nobody knows any more that the damaged row has the same file.
    try await writer.removeAttachment(equal.id)
    #expect(names == [added.digest])
  }

  @Test("64 MiB are attached and read in pieces of 64 KiB")
  func large() async throws {
    let store = try open()
    let object = try await object(in: store)
    let number = Picture.sparse(length: Attachment.largest, at: folder.path + "/large.png")
    defer { close(number) }
    let added = try await store.addAttachment(to: object, name: "large.png", from: number)
    #expect(added.size == Attachment.largest && added.contentType == .png)
    var data = try await store.data(of: added)
    var size = 0
    while let piece = try data.next() {
      #expect(piece.count <= AttachmentData.pieceLength)
      size += piece.count
    }
    #expect(size == added.size)
  }
}
