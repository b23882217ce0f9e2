internal import Centre
internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore

extension Forwarder {
  /// Rejects a configuration by which data of a sensor that are at the centre would be another person's. The row of a device has the
  /// person of its own sessions alone: with other firmware the sensor gets a new row, and later data would become the new person's
  /// without an error.
  static func refuseOtherPersons(
    of store: HealthStore, _ objects: CentreObjects, among most: Int, in database: inout Database,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let devices = try await Self.store { try await store.historyDevices() }
    let copy: [Field] = [.text(objects.copy.gateway), .text(objects.copy.store.text), Field(objects.copy.history)]
    let isOfCopy = "gateway = $1 AND store = $2::uuid AND history = $3::integer"
    let there = try centre(&database) { (database) throws(DatabaseFailure) in
      try database.run("SELECT \"row\", person FROM sensord_device WHERE \(isOfCopy)", copy, [.bigint, .text])
    }
    for row in there.rows {
      guard let person = row[1], let device = devices.first(where: { $0["id"] == .integer(Int64(row[0] ?? "") ?? 0) }),
        objects.persons.person(ofDevice: device) != person
      else { continue }
      // The number may be another device's since what it had was deleted: of whom it is, only objects say.
      var found: [UUID] = []
      try centre(&database) { (database) throws(DatabaseFailure) in
        _ = try database.each(
          [CentreTable.session, .sample].map {
            "SELECT id FROM \($0.fullName) WHERE \(isOfCopy) AND person = $4 AND device = $5::bigint"
          }.joined(separator: " UNION ALL "), copy + [.text(person), .text(row[0] ?? "")],
          Database.Shape([.uuid], rows: most)
        ) { (row) throws(DatabaseFailure) in
          if let id = UUID(uuidString: row[0] ?? "") { found.append(id) }
        }
      }
      for id in found {
        guard let object = try await Self.store({ try await store.history(of: [id]) }).first,
          let now = object.device, objects.persons.person(ofDevice: now) != person
        else { continue }
        throw ForwardFailure(
          .configuration,
          "[persons] (\(objects.persons.origin(ofDevice: now))) gives the sensor of \(id.text) to another person than that was "
            + "forwarded as; change it back, or forget first what was forwarded, see 'sensord-forward forget --help'")
      }
    }
  }
}

extension Forwarder {
  /// After the answer to whether clinical records are forwarded was changed: all is read again from the start, which sends nothing
  /// else twice, or what was forwarded of them is taken away. That is no deletion: it leaves no tombstone, so that they can come again.
  static func changeRecords(
    _ sendsRecords: Bool, of store: UUID, gateway: String, in database: inout Database
  ) throws(ForwardFailure) {
    let place: [Field] = [.text(gateway), .text(store.text)]
    try centre(&database) { (database) throws(DatabaseFailure) in
      try database.run("BEGIN")
      try database.run(
        sendsRecords
          ? "UPDATE sensord_gateway SET records = 1, anchor = $3, sent = 0 WHERE gateway = $1 AND store = $2::uuid"
          : "UPDATE sensord_gateway SET records = 0 WHERE gateway = $1 AND store = $2::uuid",
        sendsRecords ? place + [.text(ChangeAnchor.start.description)] : place)
      if !sendsRecords { try removeRecords(place, in: &database) }
      try database.run("COMMIT")
    }
  }

  private static func removeRecords(_ place: [Field], in database: inout Database) throws(DatabaseFailure) {
    let found = try database.run(
      """
      SELECT DISTINCT sample.person, sample.time, sample.id FROM sensord_sample AS sample
        JOIN sensord_object AS part ON part.person = sample.person AND part.time = sample.time
          AND part.gateway = sample.gateway AND part.owner = sample.id
      WHERE sample.gateway = $1 AND sample.store = $2::uuid AND part.origin = $3
      """, place + [.text(CentreObjects.recordTable)], [.text, .bigint, .uuid]
    ).rows
    guard !found.isEmpty else { return }
    let columns = (0..<3).map { column in Set(found.compactMap { $0[column] }) }
    let those: [Field] = [
      place[0], Insertion.textList(columns[0]), Insertion.list(columns[1]), Insertion.list(columns[2]),
    ]
    for table in CentreTable.parts + [.attachment, .sample] where table != .cell {
      try database.run(
        """
        DELETE FROM \(table.fullName) WHERE gateway = $1 AND person = ANY ($2::text[]) AND time = ANY ($3::bigint[])
          AND \(table == .sample ? "id" : "owner") = ANY ($4::uuid[])
        """, those)
    }
  }
}
