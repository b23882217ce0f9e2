import Bits
public import FoundationEssentials
import Glibc
public import HealthModel

extension HealthStore {
  /// Attaches a copy of a file to a sample. When this returns, the copy and its row are on the disk; when it throws,
  /// neither is.
  ///
  /// - Parameters:
  ///   - object: The identifier of a stored sample of a kind with ``HealthModel/SampleKind/takesAttachments``.
  ///   - name: The name of the file for a person; see ``HealthModel/Attachment/validate(name:)``.
  ///   - contentType: The type that the caller expects; nil for any type. The bytes of the file decide the type
  ///     (``HealthModel/AttachmentForm``), and another type than the expected one is an error.
  ///   - descriptor: An open file or pipe, which is read in pieces from its present position to its end; it stays open.
  ///   - metadata: Further properties.
  ///   - source: The program that must have saved the sample; nil for any program.
  /// - Returns: The attachment, with its new identifier.
  /// - Throws: ``StoreError/Code/notFound`` where there is no such sample; ``StoreError/Code/attachment(_:)`` for a
  ///   file that cannot be attached; ``StoreError/Code/full``.
  public func addAttachment(
    to object: UUID, name: String, contentType: AttachmentContentType? = nil, from descriptor: Int32,
    metadata: Metadata = [:], savedBy source: String? = nil
  ) throws(StoreError) -> Attachment {
    let draft = try draftAttachment(
      to: object, name: name, contentType: contentType, from: descriptor, metadata: metadata, savedBy: source)
    return try attach(draft, to: object, name: name, metadata: metadata, savedBy: source)
  }

  /// The first half of ``addAttachment(to:name:contentType:from:metadata:savedBy:)``: examines whether the file can be
  /// attached, and copies it.
  ///
  /// The sender of a pipe decides how long this takes; it may run on a store that was opened to read. Where no byte
  /// comes for `patience` (milliseconds; nil for ever), the file counts as unreadable.
  ///
  /// - Returns: The copy, for ``attach(_:to:name:metadata:savedBy:)``.
  /// - Throws: The errors of the whole.
  package func draftAttachment(
    to object: UUID, name: String, contentType: AttachmentContentType?, from descriptor: Int32, metadata: Metadata,
    savedBy source: String?, patience: Int32? = nil
  ) throws(StoreError) -> AttachmentDraft {
    let file = try opened()
    do throws(AttachmentError) {
      try Attachment.validate(name: name)
    } catch {
      throw StoreError(error)
    }
    guard metadata.values.allSatisfy({ $0.stored != nil }) else {
      throw StoreError(.invalid, "metadata of an attachment cannot be stored")
    }
    // The sample first, before anything is copied.
    _ = try file.read { (connection) throws(StoreError) in
      try Self.place(of: object, savedBy: source, in: connection)
    }
    let draft = try AttachmentDraft(file.attachmentFolder(), from: descriptor, patience: patience)
    if let contentType, contentType != draft.contentType {
      throw StoreError(AttachmentError.otherContent(said: contentType, found: draft.contentType))
    }
    return draft
  }

  /// The second half: gives the copy its final name, and commits the row of the attachment.
  package func attach(
    _ draft: AttachmentDraft, to object: UUID, name: String, metadata: Metadata, savedBy source: String?
  ) throws(StoreError) -> Attachment {
    let file = try opened()
    let attachment = Attachment(
      id: UUID(), object: object, name: name, contentType: draft.contentType, size: draft.size, digest: draft.digest,
      added: .now(), metadata: metadata)
    do throws(StoreError) {
      try file.add(attachment, draft, savedBy: source)
    } catch {
      try? file.sweepAttachments([attachment.digest])
      throw error
    }
    return attachment
  }

  /// The type of a sample that a file may be attached to.
  ///
  /// - Throws: As ``addAttachment(to:name:contentType:from:metadata:savedBy:)``.
  package func typeForAttachments(of object: UUID, savedBy source: String?) throws(StoreError) -> String {
    try opened().read { (connection) throws(StoreError) in
      let number = try Self.place(of: object, savedBy: source, in: connection)
      guard let row = try connection.samples.row(number) else { throw Self.missing(object) }
      return row.type.identifier
    }
  }

  /// The attachments of a sample, oldest first.
  ///
  /// - Throws: ``StoreError/Code/notFound`` where there is no such sample.
  public func attachments(for object: UUID) throws(StoreError) -> [Attachment] {
    try attachments(for: object, in: nil)
  }

  /// The attachments of a sample, oldest first, for a reader with a scope: attachments are visible where their sample
  /// is.
  package func attachments(for object: UUID, in scope: ReadScope?) throws(StoreError) -> [Attachment] {
    try opened().read { (connection) throws(StoreError) in
      let query = SampleQuery(.identifier([object]), order: [])
      guard let number = try SampleReader(connection: connection, scope: scope).numbers(query).first else {
        throw Self.missing(object)
      }
      return try connection.attachments.all(of: number, object: object)
    }
  }

  /// An attachment; throws ``StoreError/Code/notFound`` where there is no such attachment, or the reader may not see
  /// its sample.
  package func attachment(_ id: UUID, in scope: ReadScope? = nil) throws(StoreError) -> Attachment {
    try opened().read { (connection) throws(StoreError) in
      guard let sample = try connection.attachments.sample(of: id),
        let object = try connection.samples.uuid(of: sample),
        try !SampleReader(connection: connection, scope: scope).numbers(SampleQuery(.identifier([object]), order: []))
          .isEmpty,
        let found = try connection.attachments.all(of: sample, object: object).first(where: { $0.id == id })
      else { throw StoreError(.notFound, "there is no attachment \(id.uuidString.lowercased())") }
      return found
    }
  }

  /// The attachments of all samples, oldest first.
  public func allAttachments() throws(StoreError) -> [Attachment] {
    try opened().read { (connection) throws(StoreError) in
      guard try connection.attachments.exist() else { return [] }
      var samples: [Int64] = []
      do {
        var statement = try connection.prepare("SELECT DISTINCT sample FROM attachments")
        while try statement.step() { samples.append(statement.integer(0)) }
      }
      var found: [Attachment] = []
      for sample in samples {
        guard let object = try connection.samples.uuid(of: sample) else { continue }
        found += try connection.attachments.all(of: sample, object: object)
      }
      return found.sorted { ($0.added.microseconds, $0.id.uuidString) < ($1.added.microseconds, $1.id.uuidString) }
    }
  }

  /// The next piece of an attachment, read on the store's thread; see ``AttachmentData/next()``.
  package func piece(of data: AttachmentData) throws(StoreError) -> (piece: [UInt8]?, rest: AttachmentData) {
    var data = data
    let piece = try data.next()
    return (piece, data)
  }

  /// The bytes of an attachment, piece by piece.
  ///
  /// - Throws: ``StoreError/Code/corrupt(object:)`` where the file is missing or of another length.
  public func data(of attachment: Attachment) throws(StoreError) -> AttachmentData {
    try AttachmentData(attachment, in: opened().attachmentFolder())
  }

  /// Removes an attachment, and erases the bytes of its file and name. A file that belongs to other attachments too
  /// stays for them.
  ///
  /// - Throws: ``StoreError/Code/notFound`` where there is no such attachment, or where another program than `source`
  ///   saved its sample.
  public func removeAttachment(_ id: UUID, savedBy source: String? = nil) throws(StoreError) {
    let found = try attachment(id, in: source.map { ReadScope(source: $0) })
    let file = try opened()
    try file.write { (connection) throws(StoreError) in
      guard let sample = try connection.attachments.sample(of: id) else {
        throw StoreError(.notFound, "there is no attachment \(id.uuidString.lowercased())")
      }
      try connection.attachments.delete(found, of: sample)
      try Erasure(connection: connection).note()
    }
    try Erasure(connection: file.connection).finish()
  }

  /// The row of a sample that a file may be attached to.
  static func place(of object: UUID, savedBy source: String?, in connection: Connection) throws(StoreError) -> Int64 {
    let scope = source.map { ReadScope(source: $0) }
    let query = SampleQuery(.identifier([object]), order: [])
    guard let number = try SampleReader(connection: connection, scope: scope).numbers(query).first,
      let kind = try connection.samples.row(number)?.type.kind
    else { throw missing(object) }
    guard kind.takesAttachments else { throw StoreError(AttachmentError.kindWithoutAttachments(kind)) }
    return number
  }

  private static func missing(_ object: UUID) -> StoreError {
    StoreError(.notFound, "there is no sample \(object.uuidString.lowercased())")
  }
}

/// The bytes of an attachment, piece by piece.
///
/// All pieces are of the same file, even if the attachment is removed meanwhile.
public struct AttachmentData: Sendable {
  /// The attachment with these bytes.
  public let attachment: Attachment
  private let file: Descriptor
  private let path: String
  private var offset = 0
  private var hash = SHA256()

  /// The most bytes of a piece.
  public static let pieceLength = 65_536

  init(_ attachment: Attachment, in folder: AttachmentFolder) throws(StoreError) {
    path = folder.path
    self.attachment = attachment
    // The digest of a value that another program made may be any text.
    guard folder.digest(ofName: folder.name(ofFile: attachment.digest)) != nil else { throw Self.damaged(attachment) }
    guard let place = try folder.open(), let file = try folder.open(folder.name(ofFile: attachment.digest), in: place),
      try file.status(folder.path).st_size == attachment.size
    else { throw Self.damaged(attachment) }
    self.file = file
  }

  /// The next piece; nil at the end.
  ///
  /// - Throws: ``StoreError/Code/corrupt(object:)`` instead of the last piece where the file is not the one that was
  ///   attached.
  public mutating func next() throws(StoreError) -> [UInt8]? {
    guard offset < attachment.size else { return nil }
    let piece = try file.read(min(Self.pieceLength, attachment.size - offset), at: offset, path)
    guard !piece.isEmpty else { throw Self.damaged(attachment) }
    hash.add(piece[...])
    offset += piece.count
    guard offset < attachment.size || Hexadecimal.text(hash.digest()) == attachment.digest else {
      throw Self.damaged(attachment)
    }
    return piece
  }

  private static func damaged(_ attachment: Attachment) -> StoreError {
    let name = "attachment \(attachment.id.uuidString.lowercased())"
    return StoreError(
      .corrupt(object: name), "the file of \(name) is missing or damaged; attach it again, or remove the attachment")
  }
}
