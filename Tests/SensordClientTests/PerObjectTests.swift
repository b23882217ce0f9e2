import DBus
import Door
import FoundationEssentials
import Glibc
import HealthModel
import SensordClient
import SeriesStore
import TestSupport
import Testing

/// Samples that the owner allows one by one, over the bus.
@Suite("Reading object by object", .timeLimit(.minutes(5)))
struct PerObjectTests {
  private static let issued = Timestamp(microseconds: 1_795_000_000_000_000)
  private static let reader = "org.example.Reader"
  private static let type = SampleType.visionPrescription
  private let folder = TemporaryFolder()

  private func glasses(_ number: Int) -> VisionPrescription {
    .glasses(GlassesPrescription(rightEye: GlassesLensSpecification(sphere: Double(number) / 4), leftEye: nil))
  }

  private func draft(_ number: Int) throws -> SampleDraft {
    try SampleDraft(glasses(number), issued: Self.issued.advanced(byMicroseconds: Int64(number) * 1_000_000))
  }

  /// Chooses as an owner.
  private func choose(
    _ owner: Connection, for application: String, allow: Set<UUID> = [], deny: Set<UUID> = []
  ) async throws {
    func names(_ ids: Set<UUID>) -> Value { .strings(ids.map { $0.uuidString.lowercased() }) }
    _ = try await owner.ask(
      "Grants1", "DecideObjects",
      [
        .uint32(getuid()), .string(application), .string(Self.type.identifier), names(allow), names(deny),
        .properties([:]),
      ])
  }

  /// What waits for the owner, or was chosen: the rows of `List` about single samples.
  private func rows(_ owner: Connection, _ decision: String) async throws -> [[String: Value]] {
    let list = try await owner.ask("Grants1", "List").first?.array ?? []
    return list.compactMap(\.properties).filter {
      $0["by_object"]?.boolean == true && $0["decision"]?.string == decision
    }
  }

  @Test("the talk's example: reading glasses are saved, asked for by themselves, allowed and read with their values")
  func talk() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    try await owner.decide(share: [Self.type.identifier])
    let optician = try await stage.client()
    let prescription = VisionPrescription.glasses(
      GlassesPrescription(
        rightEye: try GlassesLensSpecification(
          sphere: Quantity(1.25, .diopter), cylinder: Quantity(-0.5, .diopter), axis: Quantity(90, .degree),
          prism: VisionPrism(amount: Quantity(1, .prismDiopter), angle: Quantity(180, .degree)),
          nearPupillaryDistance: Quantity(30, .millimeter)),
        leftEye: try GlassesLensSpecification(sphere: Quantity(1.5, .diopter))))
    let expires = Self.issued.advanced(byMicroseconds: 86_400_000_000)
    let description: Metadata = [VisionPrescription.glassesDescriptionKey: "Reading glasses"]
    let id = try await optician.save(
      SampleDraft(prescription, issued: Self.issued, expires: expires, metadata: description))
    let hidden = try await optician.save(try draft(2))
    // Its own it reads without asking.
    #expect(try await VisionPrescriptionQuery(id).result(for: optician) == prescription)

    let reader = try await stage.client(Self.reader)
    var requested = await owner.signals("Grants1").makeAsyncIterator()
    #expect(try await rows(owner, "notDetermined").isEmpty)
    let wish = SamplePredicate.hasMetadata(VisionPrescription.glassesDescriptionKey)
    for isAllowed in [true, false] {
      async let asked: Void = reader.requestPerObjectReadAuthorization(for: Self.type, predicate: wish)
      let told = try #require(await requested.next("Requested")?.body.first?.properties)
      #expect(told["application"]?.string == Self.reader && told["objects"]?.string == Self.type.identifier)
      // The owner sees what matches, and nothing else.
      let waiting = try await rows(owner, "notDetermined")
      #expect(waiting.map { $0["object"]?.string } == [id.uuidString.lowercased()])
      #expect(waiting.first?["start_us"]?.int64 == Self.issued.microseconds)
      try await choose(owner, for: Self.reader, allow: isAllowed ? [id] : [], deny: isAllowed ? [] : [id])
      try await asked
      #expect(try await rows(owner, "notDetermined").isEmpty)
      let found = try await SampleQuery(.type(Self.type)).result(for: reader)
      guard isAllowed else {
        // Asked again, though it was allowed; the owner has thought otherwise.
        #expect(found.isEmpty)
        await #expect(throws: ClientError.notFound) { try await VisionPrescriptionQuery(id).result(for: reader) }
        continue
      }
      #expect(found.map(\.id) == [id] && found.first?.metadata == description)
      #expect(found.first?.start == Self.issued && found.first?.end == expires)
      #expect(try await VisionPrescriptionQuery(id).result(for: reader) == prescription)
      await #expect(throws: ClientError.notFound) { try await VisionPrescriptionQuery(hidden).result(for: reader) }
    }
    await reader.close()
    await optician.close()
    await stage.end()
  }

  @Test(
    "clinical records: the owner sees what they are called, and a program reads the chosen one and its files, and saves none"
  )
  func records() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    let reader = try await stage.client(Self.reader)
    let type = SampleType.clinical(.labResultRecord)
    let samples = try ["Sodium", "Potassium"].map { name in
      let data = Array(#"{"resourceType":"Observation","code":{"text":"\#(name)"},"value":1.50}"#.utf8)
      return try NewSample(ImportedRecord(data).record, at: Self.issued)
    }
    let file = try HealthStore.open(stage.store, for: .writing)
    try await file.save(samples, as: SourceRevision(identifier: "clinic", name: "Clinic"))
    let scan = try folder.write("scan.png", Picture.png())
    let descriptor = unsafe Glibc.open(scan, O_RDONLY | O_CLOEXEC)
    _ = try await file.addAttachment(to: samples[1].id, name: "scan.png", from: descriptor)
    Glibc.close(descriptor)
    await #expect(throws: ClientError.notFound) { try await ClinicalRecordQuery(samples[1].id).result(for: reader) }
    var requested = await owner.signals("Grants1").makeAsyncIterator()
    // Who looks is told from then on.
    #expect(try await rows(owner, "notDetermined").isEmpty)
    async let asked: Void = reader.requestPerObjectReadAuthorization(for: type)
    _ = await requested.next("Requested")
    #expect(
      try await Set(rows(owner, "notDetermined").compactMap { $0["title"]?.string }) == ["Sodium", "Potassium"])
    _ = try await owner.ask(
      "Grants1", "DecideObjects",
      [
        .uint32(getuid()), .string(Self.reader), .string(type.identifier),
        .strings([samples[1].id.uuidString.lowercased()]), .strings([]), .properties([:]),
      ])
    try await asked
    #expect(try await SampleQuery(.type(type)).result(for: reader).map(\.id) == [samples[1].id])
    let record = try await ClinicalRecordQuery(samples[1].id).result(for: reader)
    #expect(record.displayName == "Potassium" && record.resource.data.suffix(5) == Array("1.50}".utf8)[...])
    #expect(try await reader.attachments(for: samples[1].id).map(\.name) == ["scan.png"])
    await #expect(throws: ClientError.notFound) { try await ClinicalRecordQuery(samples[0].id).result(for: reader) }
    // It is none of the other kinds.
    await #expect(throws: ClientError.notFound) { try await VisionPrescriptionQuery(samples[1].id).result(for: reader) }
    await #expect(throws: ClientError.self) { try await reader.requestAuthorization(toShare: [type]) }
    await reader.close()
    await stage.end()
  }

  @Test("a type that is allowed one by one is never allowed as a whole, and others not one by one; both by name")
  func whole() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    let client = try await stage.connectGame()
    let read: [Value] = [.strings([]), .strings([Self.type.identifier])]
    #expect(await client.refusal("Authorization1", "Request", read) == "org.sensord.Error.OnlyByObject")
    #expect(
      await owner.refusal(
        "Grants1", "Decide",
        [
          .uint32(getuid()), .string(DoorStage.game), .strings([]), .strings([Self.type.identifier]), .boolean(true),
          .properties([:]),
        ]) == "org.sensord.Error.OnlyByObject")
    let rates: [Value] = [.string("heartRate"), .properties([:])]
    #expect(await client.refusal("Authorization1", "RequestObjects", rates) == "org.sensord.Error.NotByObject")
    let choice: [Value] = [
      .uint32(getuid()), .string(DoorStage.game), .string(Self.type.identifier), .strings([UUID().uuidString]),
      .strings([]), .properties([:]),
    ]
    #expect(await client.refusal("Grants1", "DecideObjects", choice) == "org.sensord.Error.NotAuthorized")
    #expect(await owner.refusal("Grants1", "DecideObjects", choice) == "org.sensord.Error.NotFound")
    // Also where a file says so, which no program of this version writes.
    let file = try HealthStore.open(stage.store, for: .writing)
    _ = try await file.save(NewSample(try draft(1)), as: SourceRevision(identifier: "other", name: "Other"))
    try await file.decide([
      Grant(
        client: DoorStage.gameClient, type: Self.type.identifier, permission: .read, decision: .allowed,
        decided: Self.issued)
    ])
    try await owner.decide(read: ["heartRate"])
    #expect(try await client.lines("samples").count == 1)
    await stage.end()
  }

  @Test("who asks for what there is not waits for the owner as for what there is, and learns nothing")
  func nothing() async throws {
    let stage = try await DoorStage()
    let owner = try await stage.connect()
    var requested = await owner.signals("Grants1").makeAsyncIterator()
    _ = try await owner.ask("Grants1", "List")
    let client = try await stage.client()
    async let asked: Void = client.requestPerObjectReadAuthorization(for: Self.type)
    _ = await requested.next("Requested")
    let waiting = try await rows(owner, "notDetermined")
    #expect(waiting.count == 1 && waiting[0]["object"] == nil)
    try await choose(owner, for: DoorStage.game)
    try await asked
    #expect(try await rows(owner, "notDetermined").isEmpty)
    await client.close()
    await stage.end()
  }

  @Test("an answer that is being read is cut off when one of its samples is revoked")
  func cut() async throws {
    let stage = try await DoorStage()
    let file = try HealthStore.open(stage.store, for: .writing)
    let samples = try (0..<900).map { try NewSample(try draft($0 % 100)) }
    try await file.save(samples, as: SourceRevision(identifier: "other", name: "Other"))
    let owner = try await stage.connect()
    let client = try await stage.connectGame()
    try await choose(owner, for: DoorStage.game, allow: Set(samples.map(\.id)))
    // More than a pipe holds: the rest is not sent before this is read.
    let end = try await client.open("samples")
    try await choose(owner, for: DoorStage.game, deny: [samples[0].id])
    let text = try await end.text()
    #expect(text.contains("visionPrescription") && !text.contains("complete"))
    #expect(try await client.lines("samples").count == 900)
    await stage.end()
  }

  @Test("who observes is told of changes of the samples that it may read one by one, and of no others")
  func observed() async throws {
    let stage = try await DoorStage()
    let file = try HealthStore.open(stage.store, for: .writing)
    let other = SourceRevision(identifier: "other", name: "Other")
    let samples = try (0..<3).map { try NewSample(try draft($0)) }
    try await file.save(samples, as: other)
    let owner = try await stage.connect()
    let client = try await stage.connectGame()
    try await choose(owner, for: DoorStage.game, allow: [samples[0].id, samples[2].id])
    var changed = await client.signals("HealthStore1").makeAsyncIterator()
    _ = try await client.ask("HealthStore1", "Observe", [.strings([Self.type.identifier])])
    try await file.delete([samples[1].id], as: other.identifier)
    try await file.delete([samples[0].id], as: other.identifier)
    #expect(await changed.next("Changed")?.body == [.uint64(1)])
    try await file.delete([samples[2].id], as: other.identifier)
    #expect(await changed.next("Changed")?.body == [.uint64(2)])
    await stage.end()
  }

  @Test(
    "two clients, ten prescriptions, a thousand random grants and revocations: each sees its own and what is granted")
  func random() async throws {
    let seed =
      ProcessInfo.processInfo.environment["SENSORD_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...1 << 40)
    var random = SeededGenerator(seed: seed)
    var limits = ClientLimits()
    limits.callsPerSecond = 100_000
    limits.callsOfClientPerSecond = 100_000
    limits.callsOfUserPerSecond = 100_000
    let stage = try await DoorStage(limits: limits)
    let owner = try await stage.connect()
    let names = [DoorStage.game, Self.reader]
    var clients: [SensordClient] = []
    var own: [Set<UUID>] = [[], []]
    var all: [UUID] = []
    for (index, name) in names.enumerated() {
      _ = try await owner.ask(
        "Grants1", "Decide",
        [
          .uint32(getuid()), .string(name), .strings([Self.type.identifier]), .strings([]), .boolean(true),
          .properties([:]),
        ])
      clients.append(try await stage.client(name))
      let ids = try await clients[index].save(try (0..<3).map { try draft(index * 3 + $0) })
      own[index] = Set(ids)
      all += ids
    }
    let others = try (6..<10).map { try NewSample(try draft($0)) }
    let file = try HealthStore.open(stage.store, for: .writing)
    try await file.save(others, as: SourceRevision(identifier: "org.example.Optician", name: "Optician"))
    all += others.map(\.id)
    let values = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1, glasses($0)) })
    // Each has a file: those of the clients by themselves, the others' by their program.
    var files: [UUID: HealthModel.Attachment] = [:]
    for (index, id) in all.enumerated() {
      let bytes = Picture.png(length: 100 + index)
      let path = try folder.write("\(index).png", bytes)
      if let client = own.firstIndex(where: { $0.contains(id) }) {
        try await clients[client].addAttachment(to: id, name: "\(index).png", path: path)
      } else {
        let number = unsafe Glibc.open(path, O_RDONLY)
        _ = try await file.addAttachment(to: id, name: "\(index).png", from: number)
        Glibc.close(number)
      }
      files[id] = try await file.attachments(for: id).first
    }
    var granted: [Set<UUID>] = [[], []]
    for step in 0..<1_000 {
      let index = Int.random(in: 0...1, using: &random)
      let chosen = Set(all.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
      if Bool.random(using: &random) {
        granted[index].formUnion(chosen)
        try await choose(owner, for: names[index], allow: chosen)
      } else {
        granted[index].subtract(chosen)
        try await choose(owner, for: names[index], deny: chosen)
      }
      let place = Int.random(in: 0...1, using: &random)
      let (client, visible) = (clients[place], own[place].union(granted[place]))
      switch step % 5 {
      case 0:
        let changes = try await ChangeQuery(after: .start).result(for: client)
        #expect(Set(changes.added.map(\.id)) == visible && changes.deleted.isEmpty, "seed \(seed), step \(step)")
      case 1:
        let one = all[Int.random(in: 0..<all.count, using: &random)]
        let found = try? await VisionPrescriptionQuery(one).result(for: client)
        #expect(found == (visible.contains(one) ? values[one] : nil), "seed \(seed), step \(step)")
      case 2:
        let one = all[Int.random(in: 0..<all.count, using: &random)]
        let file = try #require(files[one])
        let found = try? await client.attachments(for: one)
        #expect(found == (visible.contains(one) ? [file] : nil), "seed \(seed), step \(step)")
        var size: Int?
        if let data = try? await client.data(of: file) {
          size = 0
          for try await piece in data { size = (size ?? 0) + piece.count }
        }
        #expect(size == (visible.contains(one) ? file.size : nil), "seed \(seed), step \(step)")
      default:
        let found = try await SampleQuery(.type(Self.type)).result(for: client)
        #expect(found.map(\.id) == all.filter(visible.contains), "seed \(seed), step \(step)")
      }
    }
    for (place, client) in clients.enumerated() {
      let visible = own[place].union(granted[place])
      #expect(try await SampleQuery().result(for: client).map(\.id) == all.filter(visible.contains))
      await client.close()
    }
    // What belongs to a sample is seen by the same rule.
    for (place, name) in names.enumerated() {
      let scope = ReadScope(source: "\(name)@\(getuid())", objects: granted[place])
      for id in all {
        let isVisible = try await file.isVisible(id, in: scope)
        #expect(isVisible == own[place].union(granted[place]).contains(id))
      }
    }
    await stage.end()
  }
}
