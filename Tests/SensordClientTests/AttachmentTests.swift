import DBus
import FoundationEssentials
import Glibc
import HealthModel
import SensordClient
import SeriesStore
import TestSupport
import Testing

/// Files of prescriptions, over the bus.
@Suite("Attachments over the bus", .timeLimit(.minutes(5)))
struct AttachmentTests {
  private static let issued = Timestamp(microseconds: 1_795_000_000_000_000)
  private static let reader = "org.example.Reader"
  private static let type = SampleType.visionPrescription
  private let folder = TemporaryFolder()

  private func glasses(_ sphere: Double) throws -> SampleDraft {
    try SampleDraft(
      .glasses(GlassesPrescription(rightEye: GlassesLensSpecification(sphere: sphere), leftEye: nil)),
      issued: Self.issued, metadata: [VisionPrescription.glassesDescriptionKey: "Reading glasses"])
  }

  private func choose(_ owner: Connection, allow: [UUID] = [], deny: [UUID] = []) async throws {
    func names(_ ids: [UUID]) -> Value { .strings(ids.map { $0.uuidString.lowercased() }) }
    _ = try await owner.ask(
      "Grants1", "DecideObjects",
      [
        .uint32(getuid()), .string(Self.reader), .string(Self.type.identifier), names(allow), names(deny),
        .properties([:]),
      ])
  }

  private func read(_ data: AttachmentBytes) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await piece in data { bytes += piece }
    return bytes
  }

  @Test("the talk's example: a PNG of reading glasses is attached, seen with its prescription, read, and removed")
  func talk() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    try await owner.decide(share: [Self.type.identifier])
    let optician = try await stage.client()
    let prescription = try await optician.save(glasses(1.25))
    let picture = Picture.png()
    let path = try folder.write("reading-glasses.png", picture)
    let id = try await optician.addAttachment(
      to: prescription, name: "Reading glasses prescription", contentType: .png, path: path, metadata: ["page": 1])
    let found = try await optician.attachments(for: prescription)
    #expect(found.map(\.id) == [id] && found.map(\.object) == [prescription])
    let attachment = try #require(found.first)
    #expect(attachment.name == "Reading glasses prescription" && attachment.contentType == .png)
    #expect(
      attachment.size == picture.count && attachment.metadata == ["page": 1] && attachment.digest.utf8.count == 64)
    #expect(try await read(optician.data(of: attachment)) == picture)

    let reader = try await stage.client(Self.reader)
    for isAllowed in [false, true, false] {
      if isAllowed {
        try await choose(owner, allow: [prescription])
        #expect(try await reader.attachments(for: prescription) == found)
        #expect(try await read(reader.data(of: attachment)) == picture)
      } else {
        try await choose(owner, deny: [prescription])
        await #expect(throws: ClientError.notFound) { try await reader.attachments(for: prescription) }
        await #expect(throws: ClientError.notFound) { try await reader.data(of: attachment) }
      }
      // Reading is not changing.
      await #expect(throws: ClientError.notFound) { try await reader.removeAttachment(id) }
    }
    try await optician.removeAttachment(id)
    #expect(try await optician.attachments(for: prescription).isEmpty)
    #expect(TemporaryFolder.names(String(stage.store.dropLast(7)) + ".attachments").isEmpty)
    await #expect(throws: ClientError.notFound) { try await optician.data(of: attachment) }
    await reader.close()
    await optician.close()
    await stage.end()
  }

  @Test("a stream that is being read ends when its prescription is revoked, and says that it was cut off")
  func revoked() async throws {
    let stage = try await DoorStage()
    let file = try HealthStore.open(stage.store, for: .writing)
    let sample = try NewSample(glasses(1))
    _ = try await file.save([sample], as: SourceRevision(identifier: "clinic", name: "Clinic"))
    let number = Picture.sparse(length: 4 << 20, at: folder.path + "/large")
    let attachment = try await file.addAttachment(to: sample.id, name: "large.png", from: number)
    Glibc.close(number)
    let owner = try await stage.connect()
    let reader = try await stage.client(Self.reader)
    try await choose(owner, allow: [sample.id])
    // More than a pipe holds: the rest is not sent before this is read.
    let data = try await reader.data(of: attachment)
    try await choose(owner, deny: [sample.id])
    await #expect(throws: ClientError.cutOff) { try await read(data) }
    try await choose(owner, allow: [sample.id])
    #expect(try await read(reader.data(of: attachment)).count == 4 << 20)
    await reader.close()
    await stage.end()
  }

  @Test("what cannot be attached, or not by this program, is told and leaves nothing; a pipe is as good as a file")
  func refused() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    try await owner.decide(share: [Self.type.identifier, "bodyMass"])
    let optician = try await stage.client()
    let prescription = try await optician.save(glasses(1))
    let mass = try await optician.save(
      SampleDraft(.bodyMass, Quantity(70, .kilogram), over: TimeSpan(at: Self.issued)))
    let file = try HealthStore.open(stage.store, for: .writing)
    let others = try NewSample(glasses(2))
    _ = try await file.save([others], as: SourceRevision(identifier: "clinic", name: "Clinic"))
    let scan = try folder.write("scan.png", Picture.png())
    func add(
      to object: UUID, name: String = "scan.png", type: AttachmentContentType? = nil, path: String? = nil
    ) async -> ClientError? {
      do throws(ClientError) {
        try await optician.addAttachment(to: object, name: name, contentType: type, path: path ?? scan)
        return nil
      } catch {
        return error
      }
    }
    func isInvalid(_ error: ClientError?) -> Bool { if case .invalidAttachment? = error { true } else { false } }
    #expect(isInvalid(await add(to: mass)))
    #expect(isInvalid(await add(to: prescription, type: .pdf)))
    #expect(isInvalid(await add(to: prescription, name: "")))
    #expect(isInvalid(await add(to: prescription, path: "/dev/null")))
    #expect(isInvalid(await add(to: prescription, path: "/dev/zero")))
    #expect(isInvalid(await add(to: prescription, path: folder.path)))
    #expect(await add(to: others.id) == .notFound)
    #expect(await add(to: UUID()) == .notFound)
    #expect(try await file.attachments(for: others.id).isEmpty)
    #expect(TemporaryFolder.names(String(stage.store.dropLast(7)) + ".attachments").isEmpty)

    var ends: [Int32] = [-1, -1]
    #expect(unsafe pipe(&ends) == 0)
    let bytes = Picture.png()
    #expect(unsafe Glibc.write(ends[1], bytes, bytes.count) == bytes.count)
    Glibc.close(ends[1])
    try await optician.addAttachment(to: prescription, name: "from a pipe", descriptor: ends[0])
    Glibc.close(ends[0])
    #expect(try await optician.attachments(for: prescription).map(\.name) == ["from a pipe"])

    try await owner.decide(false, share: [Self.type.identifier])
    #expect(await add(to: prescription) == .notAuthorized)
    await optician.close()
    await stage.end()
  }
}
