internal import Centre
internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore

/// Brings the files of attachments to the centre, and takes away there what the store does not have any more.
///
/// Attaching a file is no change of its sample. So what is attached is compared with what was, whenever something has changed.
struct FileTransfer {
  let store: HealthStore
  let objects: CentreObjects
  let transfer: Transfer
  let anchor: ChangeAnchor

  /// Of a file, in one row and one statement: some are larger than all that may be in memory.
  static let pieceLength = 4 * AttachmentData.pieceLength

  /// The samples that have files at the centre, or had some.
  static func owners(in database: inout Database, of copy: CentreCopy) throws -> Set<UUID> {
    let place: [Field] = [.text(copy.gateway), .text(copy.store.text)]
    var owners: Set<UUID> = []
    try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in
      // One person after the other: each statement is of one node.
      let persons = try database.run(
        """
        SELECT person FROM sensord_device WHERE gateway = $1 AND store = $2::uuid
        UNION SELECT person FROM sensord_gateway WHERE gateway = $1 AND store = $2::uuid
        """, place, [.text])
      for person in persons.rows.compactMap({ $0[0] }) {
        // First the samples that have files, then whose they are: of a table that was never analysed the server knows no better way, and would look for
        // each sample among all rows.
        let named = try database.run(
          """
          SELECT owner FROM sensord_attachment WHERE gateway = $1 AND person = $2
          UNION SELECT owner FROM sensord_object WHERE gateway = $1 AND person = $2 AND origin = 'attachments'
          """, [.text(copy.gateway), .text(person)], [.uuid]
        ).rows.compactMap { $0[0] }
        guard !named.isEmpty else { continue }
        let answer = try database.run(
          """
          SELECT id FROM sensord_sample WHERE gateway = $1 AND store = $2::uuid AND person = $3 AND id = ANY ($4::uuid[])
          """, place + [.text(person), Insertion.list(named)], [.uuid])
        owners.formUnion(answer.rows.compactMap { UUID(uuidString: $0[0] ?? "") })
      }
    }
    return owners
  }

  /// Makes the files of a sample at the centre those that it has; which of them are damaged in the store, and so are not there.
  func send(
    _ attachments: [Attachment], of sample: UUID, in database: inout Database,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Attachment] {
    let store = store
    guard let stored = try await Forwarder.store({ try await store.history(of: [sample]) }).first else { return [] }
    let made: CentreObject?
    // A sample that is damaged has its mark, and its files are not sent.
    do throws(StoreError) { made = try objects.object(stored) } catch { return [] }
    guard let made else { return [] }
    let place: [Field] = [.text(made.person), Field(made.time), .text(objects.copy.gateway), .text(made.id.text)]
    var missing: [Attachment] = []
    do throws(any Error) {
      try database.run("BEGIN")
      try transfer.hold(anchor, in: &database)
      let living = try transfer.living([made], in: &database)
      guard !living.isEmpty else {
        try database.run("COMMIT")
        return []
      }
      // Names of the files, and which files there are, are among the sample's rows.
      try transfer.save(living, in: &database)
      let present = try database.run(
        """
        SELECT file, sum(octet_length(payload)) FROM sensord_attachment
        WHERE person = $1 AND time = $2::bigint AND gateway = $3 AND owner = $4::uuid GROUP BY file
        """, place, [.bytea, .bigint])
      var wanted = Dictionary(attachments.map { ($0.digest, $0) }, uniquingKeysWith: { first, _ in first })
      let isOwn = try transfer.isOwn(made, in: &database)
      for row in present.rows {
        let digest = String(row[0]?.dropFirst(2) ?? "")
        if let attachment = wanted[digest], row[1] == "\(attachment.size)" {
          wanted[digest] = nil
        } else if isOwn || wanted[digest] != nil {
          // Files that another line has attached to a sample that it has brought stay.
          try database.run(
            """
            DELETE FROM sensord_attachment
            WHERE person = $1 AND time = $2::bigint AND gateway = $3 AND owner = $4::uuid AND file = $5::bytea
            """, place + [.bytes(Transfer.bytes(row[0]))])
        }
      }
      try database.run("COMMIT")
      missing = wanted.values.sorted { $0.digest < $1.digest }
    } catch let failure as DatabaseFailure { throw ForwardFailure(failure) }
    var damaged: [Attachment] = []
    for attachment in missing where try await !send(attachment, to: place, in: &database) { damaged.append(attachment) }
    return damaged
  }

  /// Sends a file, all or nothing; whether it is in the store as it was attached.
  private func send(
    _ attachment: Attachment, to place: [Field], in database: inout Database,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Bool {
    let store = store
    var isBegun = false
    do throws(any Error) {
      var data = try await store.data(of: attachment)
      isBegun = true
      try database.run("BEGIN")
      try transfer.hold(anchor, in: &database)
      let file = Field.bytes(Transfer.bytes("\\x" + attachment.digest))
      var ordinal: Int64 = 0
      var rest: [UInt8] = []
      var isWhole = false
      while !isWhole {
        while rest.count < Self.pieceLength, !isWhole {
          if let piece = try data.next() { rest += piece } else { isWhole = true }
        }
        if rest.isEmpty { break }
        let row = CentreObject.Row(
          table: .attachment,
          fields: place + [
            file, Field(ordinal), Field(Int64(attachment.size)), .bytes(StoredRow.digest(of: rest)), .bytes(rest),
          ])
        for insertion in Insertion.of([row]) { try database.run(insertion.statement, insertion.fields) }
        ordinal += 1
        rest = []
      }
      try database.run("COMMIT")
      return true
    } catch let failure as DatabaseFailure {
      throw ForwardFailure(failure)
    } catch let error as StoreError {
      if isBegun {
        try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in _ = try database.run("ROLLBACK") }
      }
      guard case .corrupt = error.code else { throw ForwardFailure(error) }
      return false
    }
  }
}
