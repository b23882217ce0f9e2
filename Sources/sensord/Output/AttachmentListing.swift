internal import Documents
internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore

/// How the commands of `sensord attachments` find files and show them.
enum AttachmentListing {
  /// One row for each file.
  static func table(_ attachments: [Attachment], columns: Int) -> String {
    var table = TextTable([
      .init("Attachment"), .init("Of"), .init("Name", shrinks: true), .init("Type"), .init("Bytes", .right),
      .init("Added"),
    ])
    for attachment in attachments {
      table.add([
        short(attachment.id), short(attachment.object), attachment.name, attachment.contentType.rawValue,
        String(attachment.size), LocalTime.minute(attachment.added.microseconds),
      ])
    }
    return table.rendered(columns: columns)
  }

  private static func short(_ id: UUID) -> String { String(id.uuidString.lowercased().prefix(8)) }

  static func json(_ attachments: [Attachment]) -> JSONValue { .array(attachments.map { json($0) }) }

  static func json(_ attachment: Attachment) -> JSONValue {
    [
      "id": .string(attachment.id.uuidString.lowercased()),
      "object": .string(attachment.object.uuidString.lowercased()), "name": .string(attachment.name),
      "contentType": .string(attachment.contentType.rawValue), "size": .integer(attachment.size),
      "sha256": .string(attachment.digest), "added": .integer(Int(attachment.added.microseconds)),
    ]
  }

  /// The object that a person means: a whole identifier of any, or a name of one that can have files.
  @concurrent static func object(_ name: String, in store: HealthStore?) async throws -> UUID {
    guard let store else { return try SampleNames.documents.sample(name, of: [HealthSample]()).id }
    if let id = UUID(uuidString: name) { return id }
    let samples = try await SampleQuery(.or([.type(.visionPrescription), .clinicalRecords])).result(for: store).value
    return try SampleNames.documents.sample(name, of: samples).id
  }

  /// The file that a person means.
  @concurrent static func attachment(_ name: String, in store: HealthStore?) async throws -> Attachment {
    try await SampleNames.attachments.sample(name, of: store?.allAttachments() ?? [])
  }
}
