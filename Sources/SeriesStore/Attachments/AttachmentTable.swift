import Bits
import FoundationEssentials
import HealthModel

/// The attachments of samples. The files themselves are in an ``AttachmentFolder``, by their digests.
///
/// For deletion and checking both tables are contents of samples: with a sample its rows are deleted.
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

  /// Whether the file has tables of attachments: an earlier file that no newer program has opened to write has none of
  /// them.
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

  /// The attachments of a sample, oldest first.
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

  /// The sample to which an attachment belongs; nil if there is no attachment with that identifier.
  func sample(of attachment: UUID) throws(StoreError) -> Int64? {
    guard try exist() else { return nil }
    var statement = try connection.prepare("SELECT sample FROM attachments WHERE uuid = ?1")
    try statement.bind(attachment.bytes, at: 1)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Removes an attachment, and adds its file to those that may belong to no sample any more.
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

  /// Adds the files of a sample that is about to be removed to those that may belong to no sample any more.
  func noteRemoval(of sample: Int64) throws(StoreError) {
    guard try exist() else { return }
    var statement = try connection.prepare("SELECT digest FROM attachments WHERE sample = ?1")
    try statement.bind(sample, at: 1)
    while try statement.step() { connection.orphanedDigests.insert(Hexadecimal.text(statement.bytes(0))) }
  }

  /// The digests that rows name, each once; nil where a row is not as it was written, so that its digest may be wrong.
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

extension StoreFile {
  /// The folder of the files beside this store.
  func attachmentFolder() throws(StoreError) -> AttachmentFolder {
    var statement = try connection.prepare("SELECT uuid FROM store")
    guard try statement.step(), let identity = UUID(bytes: statement.bytes(0)) else {
      throw connection.corrupt("the store's identity")
    }
    return AttachmentFolder(besides: place.realPath, identity: identity)
  }

  /// Names the file by its digest, then commits its row. A program that is killed between the two leaves a file that no
  /// row names, which the next writer removes.
  func add(
    _ attachment: Attachment, _ draft: AttachmentDraft, savedBy source: String?
  ) throws(StoreError) {
    try write { (connection) throws(StoreError) in
      let sample = try HealthStore.place(of: attachment.object, savedBy: source, in: connection)
      guard try connection.attachments.all(of: sample, object: attachment.object).count < Attachment.mostOfObject else {
        throw StoreError(AttachmentError.tooMany)
      }
      try draft.publish()
      try connection.attachments.insert(attachment, of: sample)
    }
  }

  /// Removes files that no row names: those of these digests, or all such files, also those that a killed program was
  /// writing.
  ///
  /// The lock of a writer is held meanwhile, so that no program is between naming a file and committing its row. Files
  /// without a name of this store stay. While a row is damaged all files stay, since one of them belongs to that row.
  func sweepAttachments(_ digests: Set<String>? = nil) throws(StoreError) {
    let attachments = try attachmentFolder()
    guard let folder = try attachments.open() else { return }
    let names =
      if let digests {
        digests.sorted().map(attachments.name)
      } else {
        try attachments.names(in: folder).filter { attachments.digest(ofName: $0) != nil || attachments.isDraft($0) }
      }
    guard !names.isEmpty, try connection.integer("PRAGMA user_version") == Schema.version else { return }
    if digests == nil {
      // Mostly every file is named by a row, so that no lock is needed.
      guard let known = try connection.attachments.digests() else { return }
      let needed = Set(known.map(attachments.name))
      if names.allSatisfy(needed.contains) { return }
    }
    try connection.execute("BEGIN IMMEDIATE")
    defer { try? connection.execute("COMMIT") }
    guard let known = try connection.attachments.digests() else { return }
    var isChanged = false
    for name in names {
      if let digest = attachments.digest(ofName: name), known.contains(digest) { continue }
      if attachments.isBeingWritten(name, in: folder) { continue }
      attachments.remove(name, in: folder)
      isChanged = true
    }
    if isChanged { try folder.sync(attachments.path) }
  }
}
