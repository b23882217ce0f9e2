import Bits
import FoundationEssentials
import HealthModel

/// Which files belong to which samples. The files themselves are in an ``AttachmentFolder``, by their digests.
///
/// Both tables are contents of samples as far as deletion and checking go: what is deleted takes its rows along.
struct AttachmentTable {
  let connection: Connection

  static let attachments = Table(
    "attachments",
    [
      "sample INTEGER NOT NULL", "uuid BLOB NOT NULL", "name TEXT NOT NULL", "content_type TEXT NOT NULL",
      "size INTEGER NOT NULL", "digest BLOB NOT NULL", "added INTEGER NOT NULL",
    ], key: "sample, uuid")
  static let metadata = Table(
    "attachment_values",
    [
      "sample INTEGER NOT NULL", "attachment BLOB NOT NULL", "key TEXT NOT NULL", "form INTEGER NOT NULL", "value",
      "unit TEXT",
    ], key: "sample, attachment, key")

  static let contents = [
    ContentTable(
      table: attachments, key: "sample", indexes: ["CREATE INDEX attachment_uuid ON attachments (uuid)"]),
    ContentTable(table: metadata, key: "sample"),
  ]

  /// Whether the file has attachments at all: one that no newer program has opened to write has no tables of them.
  func exist() throws(StoreError) -> Bool {
    if !connection.hasAttachments { connection.hasAttachments = try connection.has(Self.metadata) }
    return connection.hasAttachments
  }

  func insert(_ attachment: Attachment, of sample: Int64) throws(StoreError) {
    let uuid = attachment.id.bytes
    try connection.insert(
      [
        .integer(sample), .blob(uuid), .text(attachment.name), .text(attachment.contentType.rawValue),
        .integer(Int64(attachment.size)), .blob(Hexadecimal.bytes(attachment.digest) ?? []),
        SQLValue(attachment.added),
      ], into: Self.attachments)
    for (key, value) in attachment.metadata.sorted(by: { $0.key < $1.key }) {
      guard let stored = value.stored else { continue }
      try connection.insert(
        [.integer(sample), .blob(uuid), .text(key), .integer(value.form.rawValue), stored, value.unit],
        into: Self.metadata)
    }
  }

  /// Those of a sample, oldest first.
  func all(of sample: Int64, object: UUID) throws(StoreError) -> [Attachment] {
    guard try exist() else { return [] }
    var found: [Attachment] = []
    var statement = try connection.prepare(
      "SELECT uuid, name, content_type, size, digest, added FROM attachments WHERE sample = ?1 ORDER BY added, uuid")
    try statement.bind(sample, at: 1)
    while try statement.step() {
      guard let id = UUID(bytes: statement.bytes(0)), let name = statement.text(1), let type = statement.text(2) else {
        throw connection.corrupt("an attachment of \(object.uuidString.lowercased())")
      }
      found.append(
        Attachment(
          id: id, object: object, name: name, contentType: AttachmentContentType(rawValue: type),
          size: Int(clamping: statement.integer(3)), digest: Hexadecimal.text(statement.bytes(4)),
          added: Timestamp(microseconds: statement.integer(5)), metadata: try metadata(of: id, sample: sample)))
    }
    return found
  }

  private func metadata(of attachment: UUID, sample: Int64) throws(StoreError) -> Metadata {
    var statement = try connection.prepare(
      "SELECT key, form, value, unit FROM attachment_values WHERE sample = ?1 AND attachment = ?2")
    try statement.bind(sample, at: 1)
    try statement.bind(attachment.bytes, at: 2)
    return try MetadataTable.values(in: &statement)
  }

  /// The sample that an attachment belongs to; nil if there is none of that identifier.
  func sample(of attachment: UUID) throws(StoreError) -> Int64? {
    guard try exist() else { return nil }
    var statement = try connection.prepare("SELECT sample FROM attachments WHERE uuid = ?1")
    try statement.bind(attachment.bytes, at: 1)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Removes one, and notes that its file may have nobody left.
  func delete(_ attachment: Attachment, of sample: Int64) throws(StoreError) {
    connection.orphanedDigests.insert(attachment.digest)
    for text in [
      "DELETE FROM attachments WHERE sample = ?1 AND uuid = ?2",
      "DELETE FROM attachment_values WHERE sample = ?1 AND attachment = ?2",
    ] {
      var statement = try connection.prepare(text)
      try statement.bind(sample, at: 1)
      try statement.bind(attachment.id.bytes, at: 2)
      try statement.run()
    }
  }

  /// Notes the files of a sample that is about to be removed.
  func noteRemoval(of sample: Int64) throws(StoreError) {
    guard try exist() else { return }
    var statement = try connection.prepare("SELECT digest FROM attachments WHERE sample = ?1")
    try statement.bind(sample, at: 1)
    while try statement.step() { connection.orphanedDigests.insert(Hexadecimal.text(statement.bytes(0))) }
  }

  /// The digests that rows name, each once; nil where a row is not as it was written, and its digest may be another's.
  func digests() throws(StoreError) -> Set<String>? {
    guard try exist() else { return [] }
    let columns = Self.attachments.columns.joined(separator: ", ")
    var digests: Set<String> = []
    var statement = try connection.prepare(
      "SELECT digest, checksum IS \(RowChecksum.name)(\(columns)) FROM attachments")
    while try statement.step() {
      guard statement.integer(1) == 1 else { return nil }
      digests.insert(Hexadecimal.text(statement.bytes(0)))
    }
    return digests
  }
}

extension Connection {
  var attachments: AttachmentTable { AttachmentTable(connection: self) }
}
