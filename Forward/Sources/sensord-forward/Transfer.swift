internal import Centre
internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore

/// The statements that store one part of a store's changes, within a transaction.
struct Transfer {
  let copy: CentreCopy
  let lines: Lines
  let program: String
  /// Whether objects are stored anew even where the centre has the same digest, since the rows there may be others.
  var isAgain = false

  /// The condition that the tables still have this program's version.
  private static let isKnown = "(SELECT max(version) FROM sensord_schema) = \(CentreSchema.version)"

  /// Moves the anchor behind a part and stores the part's links, unless another program has moved the anchor; the line's row stays locked
  /// until the end of the transaction. `linked` is the last change whose link the centre has.
  func move(
    from anchor: ChangeAnchor, to part: StoredChanges, linked: Int64, in database: inout Database
  ) throws {
    try lock(in: &database)
    let last = part.changes.last?.number ?? 0
    let answer = try database.run(
      """
      UPDATE sensord_gateway SET anchor = $4, sent = $5::bigint, last = $6::bigint, sent_time = $7::bigint, program = $8,
        linked = greatest(linked, $5::bigint)
      WHERE gateway = $1 AND store = $2::uuid AND history = $3::integer AND anchor = $9 AND \(Self.isKnown)
        AND (SELECT count(*) FROM sensord_gateway AS line WHERE line.gateway = $1) = $10::bigint
      """,
      [
        .text(copy.gateway), .text(copy.store.text), Field(copy.history), .text(part.anchor.description),
        Field(last), Field(part.last), Field(part.changes.last?.time?.microseconds), .text(program),
        .text(anchor.description), Field(Int64(lines.count)),
      ])
    guard answer.count == 1 else { throw try whyNot(anchor, in: &database) }
    let new = part.links.suffix(Int(clamping: max(0, last - linked)))
    guard !new.isEmpty else { return }
    let row = CentreObject.Row(
      table: .link,
      fields: [
        .text(copy.gateway), .text(copy.store.text), Field(copy.history), Field(last - Int64(new.count) + 1),
        .bytes(LinkList.bytes(new)),
      ])
    for insertion in Insertion.of([row]) { try database.run(insertion.statement, insertion.fields) }
  }

  /// Keeps the gateway's other lines from changing anything until the end of the transaction.
  private func lock(in database: inout Database) throws {
    if lines.count > 1 { try Self.lock(copy.gateway, in: &database) }
  }

  static func lock(_ gateway: String, in database: inout Database) throws(DatabaseFailure) {
    try database.run(
      "SELECT 1 FROM sensord_gateway WHERE gateway = $1 ORDER BY store, history FOR UPDATE", [.text(gateway)])
  }

  /// Keeps others from moving the anchor until the end of the transaction.
  func hold(_ anchor: ChangeAnchor, in database: inout Database) throws {
    try lock(in: &database)
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
      """
      SELECT anchor, (SELECT count(*) FROM sensord_gateway AS line WHERE line.gateway = $1) FROM sensord_gateway
      WHERE gateway = $1 AND store = $2::uuid AND history = $3::integer
      """, [.text(copy.gateway), .text(copy.store.text), Field(copy.history)])
    var failure = ForwardFailure(
      .retry, "the centre: another program forwards this store as '\(copy.gateway)'; end one of them", isTransient: true
    )
    let start = ChangeAnchor.start.description
    // Another number of lines: since then another store writes as this gateway.
    let isOther = there.rows.first.map { $0[0] == anchor.description && $0[1] != "\(lines.count)" } ?? false
    failure.isStart = isOther || there.rows.first?[0] == start && anchor.description != start
    return failure
  }

  /// Inserts the types, sources and devices that objects refer to. A device keeps its person as long as the centre has anything of it, so
  /// that no object has rows of two persons. When all of a device was deleted, the store gives its number to the next device.
  func insert(_ references: Set<CentreObject.Row>, in database: inout Database) throws {
    for insertion in Insertion.of(Array(references)) { try database.run(insertion.statement, insertion.fields) }
    let columns = CentreTable.device.columns.map { CentreSchema.quoted($0.name) }.joined(separator: ", ")
    for reference in references where reference.table == .device {
      let place = Array(reference.fields.prefix(4))
      let there = try database.run(
        "SELECT \(columns) FROM sensord_device WHERE \(Self.isOfLine) AND \"row\" = $4::bigint", place)
      guard let row = there.rows.first, row.map({ Field($0) }) != reference.fields else { continue }
      let isUsed = try database.run(
        [CentreTable.session, .sample].map {
          "(SELECT 1 FROM \($0.fullName) WHERE \(Self.isOfLine) AND device = $4::bigint LIMIT 1)"
        }.joined(separator: " UNION ALL "), place)
      if isUsed.rows.isEmpty {
        try database.run("DELETE FROM sensord_device WHERE \(Self.isOfLine) AND \"row\" = $4::bigint", place)
        for insertion in Insertion.of([reference]) { try database.run(insertion.statement, insertion.fields) }
      } else if Field(row[4]) != reference.fields[4] {
        throw ForwardFailure(
          .configuration,
          "[persons] gives a sensor to another person than what was forwarded of it has; change it back, or forget that"
        )
      }
    }
  }

  private static let isOfLine = "gateway = $1 AND store = $2::uuid AND history = $3::integer"

  /// Inserts objects, or replaces older versions by them. Where another line forwarded an object, the later version stays, and of equal
  /// versions the last one that was not altered.
  func save(_ living: [CentreObject], in database: inout Database) throws {
    guard !living.isEmpty else { return }
    var rows: [CentreObject.Row] = []
    for isSession in [true, false] {
      let all = living.filter { $0.isSession == isSession }
      guard !all.isEmpty else { continue }
      let present = try present(all, in: isSession ? .session : .sample, &database)
      let absent = all.filter { present[$0.id] == nil }
      try refuseOtherPersons(absent, in: isSession ? .session : .sample, &database)
      var holders = Holders(lines.own)
      let outdated = isSession ? [] : try outdated(all, in: &database)
      let twins = isSession ? [:] : try twins(of: absent, in: &database)
      for object in all {
        // Even a sample at the centre with the same identifier belongs to the later version of its session.
        if object.session.map(outdated.contains) == true { continue }
        guard let old = present[object.id] else {
          if let twin = twins[object.id], try !replace(twin, by: object, &holders, in: &database) { continue }
          rows += object.rows
          continue
        }
        guard try replaces(old, object, &holders, in: &database) else { continue }
        // The object's files stay, unless it gets another key: their rows have its person and time.
        let isThere = old.place.person == object.person && old.place.time == object.time
        try remove([old.place], withFiles: !isThere, in: &database)
        if isSession, object.syncVersion != old.syncVersion {
          let lost = try lostSamples(of: old.place, in: &database)
          try remove(lost, withFiles: true, in: &database)
          try removeHolders(of: lost.map(\.id), in: &database)
        }
        rows += object.rows
      }
      try write(holders, in: &database)
    }
    guard try !insert(rows, in: &database) else { return }
    // Some rows of an object may be left whose own row is gone.
    let places = living.map { Place(id: $0.id.text, person: $0.person, time: $0.time, until: $0.until) }
    let rowsLeft = Set(rows.map { $0.fields[3] })
    try remove(places.filter { rowsLeft.contains(.text($0.id)) }, withFiles: false, in: &database)
    guard try insert(rows, in: &database) else {
      throw ForwardFailure(
        .retry, "the centre: somebody else stored the same objects of '\(copy.gateway)' meanwhile", isTransient: true)
    }
  }

  /// Whether an object replaces the version at the centre. If not, and another line forwarded that one, this line becomes a holder of it.
  private func replaces(
    _ old: Present, _ object: CentreObject, _ holders: inout Holders, in database: inout Database
  ) throws -> Bool {
    let isSame = old.digest == object.digest
    guard old.line != lines.own else {
      // An object that was altered in the store never replaces the sound one at the centre.
      guard !object.isAltered, !isSame || isAgain, object.replaces(syncVersion: old.syncVersion, change: old.change)
      else { return false }
      if !object.isSession, !isSame { try compareChunks(of: object, in: &database) }
      return true
    }
    guard !object.isAltered, !isSame || isAgain, object.syncVersion >= old.syncVersion else {
      let isShared =
        old.line.store == copy.store && old.change == object.change && lines.knows(old.change, of: old.line)
      if !isShared { holders.add(object) }
      return false
    }
    holders.add(object.id, of: old.line, change: old.change, syncVersion: old.syncVersion)
    holders.isOwner(of: object.id)
    return true
  }

  /// Inserts rows; returns whether the centre had none of them.
  private func insert(_ rows: [CentreObject.Row], in database: inout Database) throws -> Bool {
    var isNew = true
    for insertion in Insertion.of(rows) {
      if try database.run(insertion.statement, insertion.fields).count != insertion.count { isNew = false }
    }
    return isNew
  }

  /// The identifier, the person and the times of an object at the centre.
  struct Place {
    var id: String
    var person: String
    var time: Int64
    var until: Int64
  }

  static func place(_ row: [String?]) -> Place? {
    guard let id = row[0], let person = row[1], let time = Int64(row[2] ?? ""), let until = Int64(row[3] ?? "") else {
      return nil
    }
    return Place(id: id, person: person, time: time, until: until)
  }

  /// Removes objects with all that belongs to them.
  func remove(_ places: [Place], withFiles: Bool, in database: inout Database) throws {
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
      // The time of a cell is the beginning of its quarter of an hour, at most 900 s before the object's.
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

  /// The samples of a session's version that only a former history had, so that no deletion names them: within its time and an hour around.
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

  private struct Present {
    var place: Place
    var syncVersion: Int64
    var change: Int64
    var digest: [UInt8]
    /// The line that forwarded it, whose change it is.
    var line: Line
  }

  private func present(
    _ objects: [CentreObject], in table: CentreTable, _ database: inout Database
  ) throws -> [UUID: Present] {
    let answer = try database.run(
      """
      SELECT id, person, time, until, coalesce(sync_version, 0), change, digest, store, history FROM \(table.fullName)
      WHERE person = ANY ($1::text[]) AND gateway = $2 AND id = ANY ($3::uuid[])
      """,
      [
        Insertion.textList(Set(objects.map(\.person))), .text(copy.gateway), Insertion.list(objects.map(\.id.text)),
      ])
    var present: [UUID: Present] = [:]
    for row in answer.rows {
      guard let place = Self.place(row), let id = UUID(uuidString: place.id), let version = Int64(row[4] ?? ""),
        let change = Int64(row[5] ?? ""), let line = Line(row[7], row[8])
      else { continue }
      present[id] = Present(
        place: place, syncVersion: version, change: change, digest: Self.bytes(row[6]), line: line)
    }
    return present
  }

  /// Rejects objects that are at the centre as another person's, as may happen in a new history, with a new row of a device, or from
  /// another store.
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

  /// Rejects a sample whose values are not the centre's: only figures and associations change, unless the centre's values are damaged.
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

  /// The bytes of a `bytea` that the server sent as text; no bytes for another text.
  static func bytes(_ text: String?) -> [UInt8] {
    guard let text, text.hasPrefix("\\x") else { return [] }
    let digits = text.utf8.dropFirst(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
