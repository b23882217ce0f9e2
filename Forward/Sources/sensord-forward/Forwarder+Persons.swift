internal import Centre
internal import FoundationEssentials
internal import HealthModel
internal import PostgreSQL
internal import SeriesStore

extension Forwarder {
  /// That nothing of a sensor is at the centre as another person's than the configuration says now. A row of a device tells that of
  /// its own sessions alone: with other firmware the sensor is a new one, and what comes would be of the new person without a word.
  static func refuseOtherPersons(
    of store: HealthStore, _ objects: CentreObjects, in database: inout Database,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let devices = try await Self.store { try await store.historyDevices() }
    let copy: [Field] = [.text(objects.copy.gateway), .text(objects.copy.store.text), Field(objects.copy.history)]
    let isOfCopy = "gateway = $1 AND store = $2::uuid AND history = $3::integer"
    let there = try centre(&database) { (database) throws(DatabaseFailure) in
      try database.run("SELECT \"row\", person FROM sensord_device WHERE \(isOfCopy)", copy)
    }
    for row in there.rows {
      guard let person = row[1], let device = devices.first(where: { $0["id"] == .integer(Int64(row[0] ?? "") ?? 0) }),
        objects.persons.person(ofDevice: device) != person
      else { continue }
      // The number may be another device's since what it had was deleted: of whom it is, only objects say.
      let found = try centre(&database) { (database) throws(DatabaseFailure) in
        try database.run(
          [CentreTable.session, .sample].map {
            "SELECT id FROM \($0.fullName) WHERE \(isOfCopy) AND person = $4 AND device = $5::bigint"
          }.joined(separator: " UNION ALL "), copy + [.text(person), .text(row[0] ?? "")])
      }
      for id in found.rows.compactMap({ UUID(uuidString: $0[0] ?? "") }) {
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
