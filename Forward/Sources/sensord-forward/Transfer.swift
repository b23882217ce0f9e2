internal import Centre
internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore

/// The statements of one part, in a transaction.
struct Transfer {
  let copy: CentreCopy
  let program: String
  /// Whether also what is there with the same digest is put there anew: its rows may be others.
  var isAgain = false

  /// That nobody has made other tables since the connection began.
  private static let isKnown = "(SELECT max(version) FROM sensord_schema) = \(CentreSchema.version)"

  /// Moves the anchor, unless somebody else has; the row stays locked until the end of the transaction.
  func move(from anchor: ChangeAnchor, to part: StoredChanges, in database: inout Database) throws {
    let answer = try database.run(
      """
      UPDATE sensord_gateway SET anchor = $4, sent = $5::bigint, last = $6::bigint, sent_time = $7::bigint, program = $8
      WHERE gateway = $1 AND store = $2::uuid AND history = $3::integer AND anchor = $9 AND \(Self.isKnown)
      """,
      [
        .text(copy.gateway), .text(copy.store.text), Field(copy.history), .text(part.anchor.description),
        Field(part.changes.last?.number), Field(part.last), Field(part.changes.last?.time?.microseconds),
        .text(program),
        .text(anchor.description),
      ])
    guard answer.count == 1 else { throw try whyNot(anchor, in: &database) }
  }

  /// Keeps others from moving the anchor until the end of the transaction.
  func hold(_ anchor: ChangeAnchor, in database: inout Database) throws {
    let answer = try database.run(
      """
      UPDATE sensord_gateway SET program = $4
      WHERE gateway = $1 AND store = $2::uuid AND history = $3::integer AND anchor = $5 AND \(Self.isKnown)
      """,
      [.text(copy.gateway), .text(copy.store.text), Field(copy.history), .text(program), .text(anchor.description)])
    guard answer.count == 1 else { throw try whyNot(anchor, in: &database) }
  }

  private func whyNot(_ anchor: ChangeAnchor, in database: inout Database) throws -> ForwardFailure {
    try Forwarder.checkTables(in: &database)
    let there = try database.run(
      "SELECT anchor FROM sensord_gateway WHERE gateway = $1 AND store = $2::uuid AND history = $3::integer",
      [.text(copy.gateway), .text(copy.store.text), Field(copy.history)])
    var failure = ForwardFailure(
      .retry, "the centre: another program forwards this store as '\(copy.gateway)'; end one of them", isTransient: true
    )
    let start = ChangeAnchor.start.description
    failure.isStart = there.rows.first?[0] == start && anchor.description != start
    return failure
  }

  /// Inserts what objects refer to. A device stays whose it was, as long as anything of it is there: rows of one object are never of
  /// two persons. In the store the number of a device is free when all of it was deleted, and the next one gets it.
  func insert(_ references: Set<CentreObject.Row>, in database: inout Database) throws {
    for insertion in Insertion.of(Array(references)) { try database.run(insertion.statement, insertion.fields) }
    let columns = CentreTable.device.columns.map { CentreSchema.quoted($0.name) }.joined(separator: ", ")
    for reference in references where reference.table == .device {
      let place = Array(reference.fields.prefix(4))
      let there = try database.run(
        "SELECT \(columns) FROM sensord_device WHERE \(Self.isDevice) AND \"row\" = $4::bigint", place)
      guard let row = there.rows.first, row.map({ Field($0) }) != reference.fields else { continue }
      let isUsed = try database.run(
        [CentreTable.session, .sample].map {
          "(SELECT 1 FROM \($0.fullName) WHERE \(Self.isDevice) AND device = $4::bigint LIMIT 1)"
        }.joined(separator: " UNION ALL "), place)
      if isUsed.rows.isEmpty {
        try database.run("DELETE FROM sensord_device WHERE \(Self.isDevice) AND \"row\" = $4::bigint", place)
        for insertion in Insertion.of([reference]) { try database.run(insertion.statement, insertion.fields) }
      } else if Field(row[4]) != reference.fields[4] {
        throw ForwardFailure(
          .configuration,
          "[persons] gives a sensor to another person than what was forwarded of it has; change it back, or forget that"
        )
      }
    }
  }

  private static let isDevice = "gateway = $1 AND store = $2::uuid AND history = $3::integer"

  /// Those that were not deleted at the centre.
  func living(_ objects: [CentreObject], in database: inout Database) throws -> [CentreObject] {
    guard !objects.isEmpty else { return [] }
    let deleted = try tombstones(of: objects, in: &database)
    return objects.filter { !deleted.contains($0.id) }
  }

  /// Inserts objects, or puts them in the place of older versions.
  func save(_ living: [CentreObject], in database: inout Database) throws {
    guard !living.isEmpty else { return }
    var rows: [CentreObject.Row] = []
    for isSession in [true, false] {
      let all = living.filter { $0.isSession == isSession }
      guard !all.isEmpty else { continue }
      let present = try present(all, in: isSession ? .session : .sample, &database)
      // The sound one here never gives way to one that is damaged there.
      let some = all.filter { !$0.isAltered || present[$0.id] == nil }
      try refuseOtherPersons(some.filter { present[$0.id] == nil }, in: isSession ? .session : .sample, &database)
      try removeOutlived(
        some.filter { present[$0.id].map(\.digest) ?? $0.digest != $0.digest }.map(\.id.text), in: &database)
      for object in some {
        guard let old = present[object.id] else {
          rows += object.rows
          continue
        }
        if old.digest == object.digest, !isAgain { continue }
        guard object.replaces(syncVersion: old.syncVersion, change: old.change) else { continue }
        if !isSession, old.digest != object.digest { try compareChunks(of: object, in: &database) }
        // Its files stay, unless it moves.
        let isThere = old.place.person == object.person && old.place.time == object.time
        try remove([old.place], withFiles: !isThere, in: &database)
        if isSession, object.syncVersion != old.syncVersion {
          try remove(try lostSamples(of: old.place, in: &database), withFiles: true, in: &database)
        }
        rows += object.rows
      }
    }
    guard try !insert(rows, in: &database) else { return }
    // Something of an object may be left whose own row is gone.
    let places = living.map { Place(id: $0.id.text, person: $0.person, time: $0.time, until: $0.until) }
    let rowsLeft = Set(rows.map { $0.fields[3] })
    try remove(places.filter { rowsLeft.contains(.text($0.id)) }, withFiles: false, in: &database)
    guard try insert(rows, in: &database) else {
      throw ForwardFailure(
        .retry, "the centre: somebody else stored the same objects of '\(copy.gateway)' meanwhile", isTransient: true)
    }
  }

  /// Inserts rows; whether none of them was there.
  private func insert(_ rows: [CentreObject.Row], in database: inout Database) throws -> Bool {
    var isNew = true
    for insertion in Insertion.of(rows) {
      if try database.run(insertion.statement, insertion.fields).count != insertion.count { isNew = false }
    }
    return isNew
  }

  /// Deletes what these rows name, and keeps them.
  func delete(_ tombstones: [CentreObject.Row], in database: inout Database) throws {
    guard !tombstones.isEmpty else { return }
    for insertion in Insertion.of(tombstones) { try database.run(insertion.statement, insertion.fields) }
    let names = tombstones.compactMap { row -> String? in
      if case .text(let object) = row.fields[1] { object } else { nil }
    }
    // What it outlived before, it does not outlive any more.
    try removeOutlived(names, in: &database)
    // Not what was saved again later.
    try remove(try places(of: names, in: &database), withFiles: true, in: &database)
  }

  /// Where an object is.
  struct Place {
    var id: String
    var person: String
    var time: Int64
    var until: Int64
  }

  /// Where the objects are that these tombstones hide.
  private func places(of objects: [String], in database: inout Database) throws -> [Place] {
    var places: [Place] = []
    for table in [CentreTable.session, .sample] {
      // With a session all its samples, also those of a version that only a lost history had.
      let (isNamed, isGone) =
        table == .session
        ? ("id = ANY ($2::uuid[])", "= object.id")
        : ("(id = ANY ($2::uuid[]) OR session = ANY ($2::uuid[]))", "IN (object.id, object.session)")
      let answer = try database.run(
        """
        SELECT id, person, time, until FROM \(table.fullName) AS object WHERE gateway = $1 AND \(isNamed)
          AND EXISTS (SELECT 1 FROM sensord_tombstone AS gone WHERE gone.gateway = object.gateway AND gone.object \(isGone)
            AND NOT (gone.store = object.store AND gone.history = object.history AND gone.number < object.change))
        """, [.text(copy.gateway), Insertion.list(objects)])
      places += answer.rows.compactMap(Self.place)
    }
    return places
  }

  private static func place(_ row: [String?]) -> Place? {
    guard let id = row[0], let person = row[1], let time = Int64(row[2] ?? ""), let until = Int64(row[3] ?? "") else {
      return nil
    }
    return Place(id: id, person: person, time: time, until: until)
  }

  /// Removes objects with all that belongs to them.
  private func remove(_ places: [Place], withFiles: Bool, in database: inout Database) throws {
    for (person, some) in Dictionary(grouping: places, by: \.person) {
      let fields: [Field] = [
        .text(person), .text(copy.gateway), Insertion.list(some.map(\.id)), Insertion.list(some.map { "\($0.time)" }),
      ]
      for table in [CentreTable.session, .sample] {
        try database.run(
          """
          DELETE FROM \(table.fullName) WHERE person = $1 AND gateway = $2 AND id = ANY ($3::uuid[])
            AND time = ANY ($4::bigint[])
          """, fields)
      }
      for table in CentreTable.parts + (withFiles ? [.attachment] : []) where table != .cell {
        try database.run(
          """
          DELETE FROM \(table.fullName) WHERE person = $1 AND gateway = $2 AND owner = ANY ($3::uuid[])
            AND time = ANY ($4::bigint[])
          """, fields)
      }
      let first = (some.map(\.time).min() ?? 0).subtractingReportingOverflow(900_000_000)
      try database.run(
        """
        DELETE FROM sensord_cell WHERE person = $1 AND gateway = $2 AND owner = ANY ($3::uuid[])
          AND time >= $4::bigint AND time <= $5::bigint
        """,
        [
          .text(person), .text(copy.gateway), Insertion.list(some.map(\.id)),
          Field(first.overflow ? Int64.min : first.partialValue), Field(some.map(\.until).max()),
        ])
    }
  }

  /// The samples of a session's version that only a former history had, so that no deletion names them. They begin in its time.
  private func lostSamples(of session: Place, in database: inout Database) throws -> [Place] {
    let margin: Int64 = 3_600_000_000
    let answer = try database.run(
      """
      SELECT id, person, time, until FROM sensord_sample
      WHERE person = $1 AND gateway = $2 AND session = $3::uuid AND time >= $4::bigint AND time <= $5::bigint
        AND NOT (store = $6::uuid AND history = $7::integer)
      """,
      [
        .text(session.person), .text(copy.gateway), .text(session.id),
        Field(session.time.subtractingReportingOverflow(margin).partialValue),
        Field(session.until.addingReportingOverflow(margin).partialValue), .text(copy.store.text), Field(copy.history),
      ])
    return answer.rows.compactMap(Self.place)
  }

  /// The condition on a deletion, `gone`, that its object was not saved again in the same history: where it was, and is there, an
  /// older copy of the store is no reason to delete it.
  static let isLast = [CentreTable.session, .sample].map { table in
    """
    NOT EXISTS (SELECT 1 FROM \(table.fullName) AS there WHERE there.gateway = gone.gateway AND there.id = gone.object
      AND there.store = gone.store AND there.history = gone.history AND there.change > gone.number)
    """
  }.joined(separator: " AND ")

  /// Removes the deletions that an object outlived, before it becomes one of this history: there they would count.
  private func removeOutlived(_ objects: [String], in database: inout Database) throws {
    guard !objects.isEmpty else { return }
    for table in [CentreTable.session, .sample] {
      try database.run(
        """
        DELETE FROM sensord_tombstone AS gone USING \(table.fullName) AS there
        WHERE gone.gateway = $1 AND gone.object = ANY ($2::uuid[]) AND there.gateway = gone.gateway
          AND there.id = gone.object AND there.store = gone.store AND there.history = gone.history
          AND there.change > gone.number AND NOT (gone.store = $3::uuid AND gone.history = $4::integer)
        """,
        [.text(copy.gateway), Insertion.list(objects), .text(copy.store.text), Field(copy.history)])
    }
  }

  /// Those that were deleted, and not saved again after that.
  private func tombstones(of objects: [CentreObject], in database: inout Database) throws -> Set<UUID> {
    let named = Set(objects.map(\.id) + objects.compactMap(\.session))
    let answer = try database.run(
      """
      SELECT object, CASE WHEN store = $3::uuid AND history = $4::integer THEN number ELSE 9223372036854775807 END
      FROM sensord_tombstone AS gone WHERE gateway = $1 AND object = ANY ($2::uuid[]) AND \(Self.isLast)
      """,
      [.text(copy.gateway), Insertion.list(named.map(\.text)), .text(copy.store.text), Field(copy.history)])
    var latest: [UUID: Int64] = [:]
    for row in answer.rows {
      guard let id = UUID(uuidString: row[0] ?? ""), let number = Int64(row[1] ?? "") else { continue }
      latest[id] = max(number, latest[id] ?? 0)
    }
    return Set(objects.filter { $0.isHidden(by: latest) }.map(\.id))
  }

  private struct Present {
    var place: Place
    var syncVersion: Int64
    var change: Int64
    var digest: [UInt8]
  }

  private func present(
    _ objects: [CentreObject], in table: CentreTable, _ database: inout Database
  ) throws -> [UUID: Present] {
    let answer = try database.run(
      """
      SELECT id, person, time, until, coalesce(sync_version, 0), change, digest FROM \(table.fullName)
      WHERE person = ANY ($1::text[]) AND gateway = $2 AND id = ANY ($3::uuid[])
      """,
      [
        Insertion.textList(Set(objects.map(\.person))), .text(copy.gateway), Insertion.list(objects.map(\.id.text)),
      ])
    var present: [UUID: Present] = [:]
    for row in answer.rows {
      guard let place = Self.place(row), let id = UUID(uuidString: place.id), let version = Int64(row[4] ?? ""),
        let change = Int64(row[5] ?? "")
      else { continue }
      present[id] = Present(place: place, syncVersion: version, change: change, digest: Self.bytes(row[6]))
    }
    return present
  }

  /// That none of these is there as another person's: in a new history, of a new row of a device, or from another store.
  private func refuseOtherPersons(
    _ objects: [CentreObject], in table: CentreTable, _ database: inout Database
  ) throws {
    guard !objects.isEmpty else { return }
    // Most gateways have one person or two, so that this asks one node.
    let known = try database.run(
      "SELECT person FROM sensord_device WHERE gateway = $1 UNION SELECT person FROM sensord_gateway WHERE gateway = $1",
      [.text(copy.gateway)])
    let persons = Set(known.rows.compactMap { $0[0] })
    for (person, some) in Dictionary(grouping: objects, by: \.person) {
      let others = persons.subtracting([person, ""])
      guard !others.isEmpty else { continue }
      let answer = try database.run(
        "SELECT id FROM \(table.fullName) WHERE person = ANY ($1::text[]) AND gateway = $2 AND id = ANY ($3::uuid[])",
        [Insertion.textList(others), .text(copy.gateway), Insertion.list(some.map(\.id.text))])
      guard let id = answer.rows.first?[0] else { continue }
      throw ForwardFailure(
        .configuration,
        "[persons] makes \(table.name) \(id) that of another person than it was forwarded as; "
          + "change [persons] back, or forget what was forwarded")
    }
  }

  /// Figures of a sample may change, and what was collected with it; its values never do, but where those at the centre are damaged.
  private func compareChunks(of object: CentreObject, in database: inout Database) throws {
    let answer = try database.run(
      """
      SELECT sha256, sha256(payload) = sha256 FROM sensord_chunk
      WHERE person = $1 AND time = $2::bigint AND gateway = $3 AND owner = $4::uuid ORDER BY ordinal
      """, [.text(object.person), Field(object.time), .text(copy.gateway), .text(object.id.text)])
    guard answer.rows.map({ Self.bytes($0[0]) }) != object.chunks else { return }
    let marks = try database.run(
      "SELECT 1 FROM sensord_object WHERE \(Forwarder.areMarks) AND owner = $2::uuid LIMIT 1",
      [.text(copy.gateway), .text(object.id.text)])
    guard answer.rows.contains(where: { $0[1] != "t" }) || !marks.rows.isEmpty else {
      throw ForwardFailure(
        .data,
        "the centre has other values of sample \(object.id.text) than the store; see 'sensord-forward verify' and 'sensord check'"
      )
    }
  }

  /// Of a `bytea` as text.
  static func bytes(_ text: String?) -> [UInt8] {
    guard let text, text.hasPrefix("\\x") else { return [] }
    let digits = text.utf8.dropFirst(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
