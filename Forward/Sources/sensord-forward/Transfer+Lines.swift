internal import Centre
internal import FoundationEssentials
internal import SeriesStore

/// Deletions, and objects that several lines of a gateway have.
extension Transfer {
  /// The objects that were not deleted at the centre.
  func living(_ objects: [CentreObject], in database: inout Database) throws -> [CentreObject] {
    guard !objects.isEmpty else { return [] }
    let deletions = try Self.deletions(
      of: Set(objects.map(\.id) + objects.compactMap(\.session)), gateway: copy.gateway, in: &database)
    return objects.filter { !lines.isDeleted($0, by: deletions) }
  }

  /// The deletions at the centre, by object: of all objects where `objects` is nil.
  static func deletions(
    of objects: Set<UUID>?, gateway: String, in database: inout Database
  ) throws(DatabaseFailure) -> [UUID: [Lines.Deletion]] {
    let isLater = "there.gateway = gone.gateway AND there.store = gone.store AND there.history = gone.history"
    let saved = [CentreTable.session, .sample].map { table in
      "EXISTS (SELECT 1 FROM \(table.fullName) AS there WHERE there.id = gone.object AND \(isLater) AND there.change > gone.number)"
    }
    let answer = try database.run(
      """
      SELECT object, store, history, number, \(saved.joined(separator: " OR "))
        OR EXISTS (SELECT 1 FROM sensord_holder AS there
          WHERE there.object = gone.object AND \(isLater) AND there.change > gone.number)
      FROM sensord_tombstone AS gone WHERE gateway = $1\(objects == nil ? "" : " AND object = ANY ($2::uuid[])")
      """, [.text(gateway)] + (objects.map { [Insertion.list($0.map(\.text))] } ?? []))
    var deletions: [UUID: [Lines.Deletion]] = [:]
    for row in answer.rows {
      guard let id = UUID(uuidString: row[0] ?? ""), let line = Line(row[1], row[2]), let number = Int64(row[3] ?? "")
      else { continue }
      deletions[id, default: []].append(.init(line: line, number: number, isOutlived: row[4] == "t"))
    }
    return deletions
  }

  /// Stores this line's deletions, and removes the objects, but for those that another line has saved after the fork of both.
  func delete(_ tombstones: [CentreObject.Row], in database: inout Database) throws {
    guard !tombstones.isEmpty else { return }
    for insertion in Insertion.of(tombstones) { try database.run(insertion.statement, insertion.fields) }
    let names = tombstones.compactMap { row -> String? in
      if case .text(let object) = row.fields[1] { object } else { nil }
    }
    try endHolders(of: names, in: &database)
    let gone = try places(of: names, in: &database)
    try remove(gone, withFiles: true, in: &database)
    try removeHolders(of: gone.map(\.id), in: &database)
  }

  /// Stores the deletions of objects to be forgotten, and removes the objects, whichever lines have them.
  func forget(_ tombstones: [CentreObject.Row], in database: inout Database) throws {
    for insertion in Insertion.of(tombstones) { try database.run(insertion.statement, insertion.fields) }
    let names = tombstones.compactMap { row -> String? in
      if case .text(let object) = row.fields[1] { object } else { nil }
    }
    var places: [Place] = []
    for table in [CentreTable.session, .sample] {
      places += try database.run(
        "SELECT id, person, time, until FROM \(table.fullName) WHERE gateway = $1 AND id = ANY ($2::uuid[])",
        [.text(copy.gateway), Insertion.list(names)]
      ).rows.compactMap(Self.place)
    }
    try remove(places, withFiles: true, in: &database)
    try removeHolders(of: names, in: &database)
  }

  /// Removes the holders of objects that this line has deleted: lines that had an object before their fork from this one, and lines,
  /// this one included, that have deleted the object themselves.
  private func endHolders(of objects: [String], in database: inout Database) throws {
    guard lines.count > 1 else { return }
    let others = lines.others.filter { $0.value.theirs > 0 }.sorted { $0.key.history < $1.key.history }
    try database.run(
      """
      DELETE FROM sensord_holder AS holder WHERE gateway = $1 AND object = ANY ($2::uuid[])
        AND (EXISTS (SELECT 1 FROM sensord_tombstone AS gone WHERE gone.gateway = holder.gateway
            AND gone.object = holder.object AND gone.store = holder.store AND gone.history = holder.history
            AND gone.number > holder.change)
          OR EXISTS (SELECT 1 FROM unnest($3::uuid[], $4::integer[], $5::bigint[]) AS line (store, history, theirs)
            WHERE line.store = holder.store AND line.history = holder.history AND holder.change <= line.theirs))
      """,
      [
        .text(copy.gateway), Insertion.list(objects), Insertion.list(others.map(\.key.store.text)),
        Insertion.list(others.map { "\($0.key.history)" }), Insertion.list(others.map { "\($0.value.theirs)" }),
      ])
  }

  func removeHolders(of objects: [String], in database: inout Database) throws {
    guard lines.count > 1, !objects.isEmpty else { return }
    try database.run(
      "DELETE FROM sensord_holder WHERE gateway = $1 AND object = ANY ($2::uuid[])",
      [.text(copy.gateway), Insertion.list(objects)])
  }

  /// Returns the places of those objects that this line has deleted and no line has any more; with a session those of all its samples, also
  /// of a version that only a lost history had.
  private func places(of objects: [String], in database: inout Database) throws -> [Place] {
    var places: [Place] = []
    var kept: Set<String> = []
    var ended: [CentreObject.Row] = []
    let named = Set(objects)
    for table in [CentreTable.session, .sample] {
      let isSample = table == .sample
      let answer = try database.run(
        """
        SELECT id, person, time, until, store, history, change, \(isSample ? "session" : "NULL"),
          (SELECT max(number) FROM sensord_tombstone AS gone WHERE gone.gateway = object.gateway AND gone.object = object.id
            AND gone.store = object.store AND gone.history = object.history) > change,
          EXISTS (SELECT 1 FROM sensord_holder AS holder
            WHERE holder.gateway = object.gateway AND holder.object = object.id),
          (SELECT max(number) FROM sensord_tombstone AS gone WHERE gone.gateway = object.gateway
            AND gone.object = \(isSample ? "object.session" : "object.id") AND gone.store = $3::uuid AND gone.history = $4::integer)
            > change
        FROM \(table.fullName) AS object
        WHERE gateway = $1 AND (id = ANY ($2::uuid[])\(isSample ? " OR session = ANY ($2::uuid[])" : ""))
        """,
        [.text(copy.gateway), Insertion.list(objects), .text(copy.store.text), Field(copy.history)])
      for row in answer.rows {
        guard let place = Self.place(row), let line = Line(row[4], row[5]), let change = Int64(row[6] ?? "") else {
          continue
        }
        if let session = row[7], named.contains(session), !kept.contains(session) {
          // Samples that this line has saved with the session after the deletion stay.
          if line != lines.own || row[10] == "t" { places.append(place) }
          continue
        }
        guard named.contains(place.id) else { continue }
        let hasEnded = row[8] == "t"
        let isDeleted = hasEnded || line != lines.own && lines.knows(change, of: line)
        guard !isDeleted || row[9] == "t" else {
          places.append(place)
          continue
        }
        kept.insert(place.id)
        guard isDeleted, !hasEnded else { continue }
        // Other lines still have the object; the line that forwarded it has deleted it.
        ended.append(
          .init(
            table: .tombstone,
            fields: [
              .text(copy.gateway), .text(place.id), .text(line.store.text), Field(line.history), Field(change + 1),
              .null,
            ]))
      }
    }
    for insertion in Insertion.of(ended) { try database.run(insertion.statement, insertion.fields) }
    return places
  }

  /// Whether this line forwarded the version of a sample that the centre has.
  func isOwn(_ sample: CentreObject, in database: inout Database) throws(DatabaseFailure) -> Bool {
    guard lines.count > 1 else { return true }
    let answer = try database.run(
      """
      SELECT 1 FROM sensord_sample WHERE person = $1 AND time = $2::bigint AND gateway = $3 AND id = $4::uuid
        AND store = $5::uuid AND history = $6::integer
      """,
      [
        .text(sample.person), Field(sample.time), .text(copy.gateway), .text(sample.id.text), .text(copy.store.text),
        Field(copy.history),
      ])
    return !answer.rows.isEmpty
  }

  /// The sessions of these samples that the centre has in a later version, which another line forwarded with samples of its own.
  func outdated(_ samples: [CentreObject], in database: inout Database) throws -> Set<UUID> {
    let sessions = Set(samples.compactMap(\.session))
    guard lines.count > 1, !sessions.isEmpty else { return [] }
    let answer = try database.run(
      """
      SELECT session.id, session.store, session.history, session.change, holder.sync_version < session.sync_version
      FROM sensord_session AS session LEFT JOIN sensord_holder AS holder ON holder.gateway = session.gateway
        AND holder.object = session.id AND holder.store = $3::uuid AND holder.history = $4::integer
      WHERE session.gateway = $1 AND session.id = ANY ($2::uuid[])
      """,
      [
        .text(copy.gateway), Insertion.list(sessions.map(\.text)), .text(copy.store.text), Field(copy.history),
      ])
    return Set(
      answer.rows.compactMap { row -> UUID? in
        guard let line = Line(row[1], row[2]), line != lines.own, row[4] == "t" else { return nil }
        return UUID(uuidString: row[0] ?? "")
      })
  }

  /// A sample at the centre with the source and the sync identifier of another sample.
  struct Twin {
    var place: Place
    var line: Line
    var change: Int64
    var syncVersion: Int64
  }

  /// The twins, forwarded by other lines, of samples that the centre does not have under their own identifiers.
  func twins(of samples: [CentreObject], in database: inout Database) throws -> [UUID: Twin] {
    guard lines.count > 1 else { return [:] }
    let found = try Self.twins(of: samples, gateway: copy.gateway, in: &database)
    return found.filter { $0.value.line != lines.own }
  }

  static func twins(
    of samples: [CentreObject], gateway: String, in database: inout Database
  ) throws(DatabaseFailure) -> [UUID: Twin] {
    let named = samples.filter { $0.sync != nil }
    guard !named.isEmpty else { return [:] }
    let answer = try database.run(
      """
      SELECT sample.id, sample.person, sample.time, sample.until, sample.store, sample.history, sample.change,
        coalesce(sample.sync_version, 0), sample.sync_identifier, source.identifier
      FROM sensord_sample AS sample JOIN sensord_source AS source ON source.gateway = sample.gateway
        AND source.store = sample.store AND source.history = sample.history AND source."row" = sample.source
      WHERE sample.gateway = $1 AND sample.sync_identifier = ANY ($2::text[])
      """, [.text(gateway), Insertion.textList(Set(named.compactMap { $0.sync?.identifier }))])
    var present: [CentreObject.SyncKey: Twin] = [:]
    for row in answer.rows {
      guard let place = place(row), let line = Line(row[4], row[5]), let change = Int64(row[6] ?? ""),
        let version = Int64(row[7] ?? ""), let identifier = row[8], let source = row[9]
      else { continue }
      present[.init(source: source, identifier: identifier)] = Twin(
        place: place, line: line, change: change, syncVersion: version)
    }
    var twins: [UUID: Twin] = [:]
    for sample in named {
      if let twin = sample.sync.flatMap({ present[$0] }), twin.place.id != sample.id.text { twins[sample.id] = twin }
    }
    return twins
  }

  /// Removes the twin of an object, unless the twin is a later version or the object was altered; returns whether it was removed.
  func replace(
    _ twin: Twin, by object: CentreObject, _ holders: inout Holders, in database: inout Database
  ) throws -> Bool {
    guard !object.isAltered, object.syncVersion >= twin.syncVersion, let id = UUID(uuidString: twin.place.id) else {
      if let id = UUID(uuidString: twin.place.id) {
        holders.add(id, of: lines.own, change: object.change, syncVersion: object.syncVersion)
      }
      return false
    }
    let others = try database.run(
      "SELECT store, history, change, sync_version FROM sensord_holder WHERE gateway = $1 AND object = $2::uuid",
      [.text(copy.gateway), .text(id.text)])
    for row in others.rows {
      guard let line = Line(row[0], row[1]), let change = Int64(row[2] ?? ""), let version = Int64(row[3] ?? "") else {
        continue
      }
      holders.add(object.id, of: line, change: change, syncVersion: version)
    }
    holders.add(object.id, of: twin.line, change: twin.change, syncVersion: twin.syncVersion)
    holders.isOwner(of: object.id)
    try remove([twin.place], withFiles: true, in: &database)
    try removeHolders(of: [twin.place.id], in: &database)
    return true
  }

  /// The lines to be stored as holders of objects that another line forwarded.
  struct Holders {
    private let own: Line
    fileprivate var entries: [String: (object: UUID, line: Line, change: Int64, syncVersion: Int64)] = [:]
    /// Objects whose rows at the centre are now this line's.
    fileprivate var owned: Set<UUID> = []

    init(_ own: Line) { self.own = own }

    mutating func add(_ object: CentreObject) {
      add(object.id, of: own, change: object.change, syncVersion: object.syncVersion)
    }

    mutating func add(_ object: UUID, of line: Line, change: Int64, syncVersion: Int64) {
      entries["\(object.text) \(line.store.text) \(line.history)"] = (object, line, change, syncVersion)
    }

    mutating func isOwner(of object: UUID) { owned.insert(object) }
  }

  func write(_ holders: Holders, in database: inout Database) throws {
    let objects = Set(holders.entries.values.map(\.object)).union(holders.owned).map(\.text)
    guard !objects.isEmpty else { return }
    try database.run(
      """
      DELETE FROM sensord_holder
      WHERE gateway = $1 AND store = $2::uuid AND history = $3::integer AND object = ANY ($4::uuid[])
      """,
      [.text(copy.gateway), .text(copy.store.text), Field(copy.history), Insertion.list(objects)])
    let rows = holders.entries.values.filter { $0.line != lines.own || !holders.owned.contains($0.object) }.map {
      entry in
      CentreObject.Row(
        table: .holder,
        fields: [
          .text(copy.gateway), .text(entry.line.store.text), Field(entry.line.history), .text(entry.object.text),
          Field(entry.change), Field(entry.syncVersion),
        ])
    }
    for insertion in Insertion.of(rows) { try database.run(insertion.statement, insertion.fields) }
    // A line that has deleted an object is no holder of it.
    try database.run(
      """
      DELETE FROM sensord_holder AS holder USING sensord_tombstone AS gone
      WHERE holder.gateway = $1 AND holder.object = ANY ($2::uuid[]) AND gone.gateway = holder.gateway
        AND gone.object = holder.object AND gone.store = holder.store AND gone.history = holder.history
        AND gone.number > holder.change
      """, [.text(copy.gateway), Insertion.list(objects)])
  }
}

extension Line {
  /// The line that two columns of a row name.
  init?(_ store: String?, _ history: String?) {
    guard let store = UUID(uuidString: store ?? ""), let history = Int64(history ?? "") else { return nil }
    self.init(store: store, history: history)
  }
}
