internal import Centre
internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore
internal import Support

/// The objects and deletions that the centre has of a store, or of all stores of a gateway, as changes in order: each object once, as the
/// centre has it.
///
/// Changes of the store's latest history keep their numbers. An object that another line forwarded gets the number that it has in the store,
/// or a new one where that is taken or where it has none.
struct RestorationSource: ~Copyable {
  private var database: Database
  private let gateway: String
  /// The store; nil for all stores of the gateway.
  private let store: UUID?
  /// The rows of types, sources and devices that changes refer to.
  private(set) var references: [StoredRow] = []
  /// The numbers of types, sources and devices in the new store, by line and the line's number.
  private var types: [Line: [Int64: Int64]] = [:]
  private var sources: [Line: [Int64: Int64]] = [:]
  private var devices: [Line: [Int64: Int64]] = [:]
  private var entries: [Entry] = []
  private var numbers: [UUID: Int64] = [:]
  private var done = 0
  /// The objects so far whose rows are not those of their digest, or refer to rows that the centre does not have.
  private(set) var damaged: [UUID] = []
  /// The files that were attached to objects so far.
  private(set) var files: Set<File> = []

  /// A file at the centre.
  struct File: Hashable {
    var person: String
    var start: String
    var owner: UUID
    /// 64 hexadecimal digits.
    var digest: String
  }

  /// An object or a deletion.
  private struct Entry {
    var object: UUID
    /// The number of its change; 0 where it has none in the store.
    var number: Int64
    /// The line that forwarded it; its rows refer to others by this line's numbers.
    var line: Line
    /// The table of its own row; nil for a deletion.
    var table: CentreTable?
    var session: UUID?
    var person = ""
    var start = ""
    var time: Timestamp?
  }

  init(database: consuming Database, gateway: String, store: UUID?, other: String) throws {
    self.database = database
    self.gateway = gateway
    self.store = store
    types = try refer(.type, other: other)
    sources = try refer(.source, other: other)
    devices = try refer(.device, other: other)
    try list()
  }

  /// Parameters 1 and 2 of a statement: the gateway and the store.
  private var scope: [Field] { [.text(gateway), Field(store?.text)] }

  /// Reads the rows of types, sources or devices. The store's latest line comes first, so its rows keep their numbers; those of other lines
  /// may get new ones, which are returned by line and the line's number.
  private mutating func refer(_ table: CentreTable, other: String) throws -> [Line: [Int64: Int64]] {
    let found = try rows(
      table,
      where: "gateway = $1 ORDER BY coalesce(store = $2::uuid, false) DESC, store, history DESC, \"row\"", scope)
    var numbers: [Line: [Int64: Int64]] = [:]
    var taken: [Int64: [SQLValue]] = [:]
    for row in found {
      var reference = try RestoredObjects.reference(row, other: other)
      guard case .text(let identity) = try row.value("store"), case .integer(let history) = try row.value("history"),
        let line = Line(identity, "\(history)"), case .integer(let own) = reference["id"]
      else { continue }
      let content = Array(reference.values.dropFirst())
      var number = own
      if let present = taken[own], present != content {
        number = taken.first { $0.value == content }?.key ?? (taken.keys.max() ?? 0) + 1
      }
      numbers[line, default: [:]][own] = number
      guard taken.updateValue(content, forKey: number) == nil else { continue }
      reference.values[0] = .integer(number)
      references.append(reference)
    }
    return numbers
  }

  /// Finds all objects and deletions, and their numbers.
  private mutating func list() throws {
    let deletions = try Transfer.deletions(of: nil, gateway: gateway, in: &database)
    var holders: [UUID: Int64] = [:]
    for row in try database.run(
      """
      SELECT object, change FROM sensord_holder WHERE gateway = $1 AND store = $2::uuid ORDER BY history
      """, scope
    ).rows {
      if let id = UUID(uuidString: row[0] ?? ""), let change = Int64(row[1] ?? "") { holders[id] = change }
    }
    var found: [Entry] = []
    var sessions: Set<UUID> = []
    for table in [CentreTable.session, .sample] {
      let answer = try database.run(
        """
        SELECT id, store, history, change, person, time, \(table == .sample ? "session" : "NULL") FROM \(table.fullName)
        WHERE gateway = $1
        """, [.text(gateway)])
      for row in answer.rows {
        guard let id = UUID(uuidString: row[0] ?? ""), let line = Line(row[1], row[2]), let change = Int64(row[3] ?? "")
        else { throw RestoredObjects.Damage(table: table.name) }
        let ended = deletions[id] ?? []
        guard !ended.contains(where: { $0.number == Int64.max }) else { continue }
        var entry = Entry(
          object: id, number: change, line: line, table: table, person: row[4] ?? "", start: row[5] ?? "")
        entry.session = row[6].flatMap { UUID(uuidString: $0) }
        if let store {
          let isOwn = line.store == store && !ended.contains { $0.line == line && $0.number > change }
          if !isOwn {
            // A store that has a session has its samples, too.
            guard let number = holders[id] ?? entry.session.flatMap({ sessions.contains($0) ? 0 : nil }) else {
              continue
            }
            entry.number = number
          }
        }
        if table == .session { sessions.insert(id) }
        found.append(entry)
      }
    }
    let twice = found.count - Set(found.map(\.object)).count
    guard twice == 0 else {
      throw ForwardFailure(
        .data,
        "the centre has \(twice) objects under two persons; its administrator has to delete the rows of one of them, "
          + "and nothing was restored")
    }
    var taken: Set<Int64> = []
    var later: [Entry] = []
    // Objects of the store's own lines first, the latest line before others; by number, a session comes before its samples.
    func rank(_ entry: Entry) -> (Int, String, Int64, Int64) {
      (entry.line.store == store ? 0 : 1, entry.line.store.text, -entry.line.history, entry.number)
    }
    for entry in found.sorted(by: { rank($0) < rank($1) }) {
      if entry.number > 0, taken.insert(entry.number).inserted { entries.append(entry) } else { later.append(entry) }
    }
    let present = Dictionary(found.map { ($0.object, $0.number) }, uniquingKeysWith: { first, _ in first })
    var deleted: Set<UUID> = []
    for row in try database.run(
      """
      SELECT object, store, history, number, deleted FROM sensord_tombstone
      WHERE gateway = $1 AND coalesce(store = $2::uuid, true) ORDER BY store, history DESC, number
      """, scope
    ).rows {
      guard let id = UUID(uuidString: row[0] ?? ""), let line = Line(row[1], row[2]), let number = Int64(row[3] ?? "")
      else { throw RestoredObjects.Damage(table: "tombstone") }
      let time = Int64(row[4] ?? "").map { Timestamp(microseconds: $0) }
      let entry = Entry(object: id, number: number, line: line, time: time)
      let isOwn = number < Int64.max && !taken.contains(number)
      if let there = present[id] {
        // The object was saved again after this deletion.
        if isOwn, number < there {
          taken.insert(number)
          entries.append(entry)
        }
        continue
      }
      if isOwn {
        taken.insert(number)
        entries.append(entry)
      } else if !deleted.contains(id) {
        later.append(entry)
      }
      deleted.insert(id)
    }
    entries.sort { $0.number < $1.number }
    var last = taken.max() ?? 0
    for entry in later {
      last += 1
      var entry = entry
      entry.number = last
      entries.append(entry)
    }
    for entry in entries where entry.table != nil { numbers[entry.object] = entry.number }
  }

  /// The next changes; nil at the end.
  mutating func next() throws -> [StoredChange]? {
    let part = Array(entries.dropFirst(done).prefix(100))
    guard !part.isEmpty else { return nil }
    done += part.count
    let objects = part.filter { $0.table != nil }
    let named = Insertion.list(objects.map(\.object.text))
    let place: [Field] = [
      .text(gateway), Insertion.textList(Set(objects.map(\.person))), Insertion.list(Set(objects.map(\.start))), named,
    ]
    let condition = "gateway = $1 AND person = ANY ($2::text[]) AND time = ANY ($3::bigint[])"
    var rows: [String: [CentreObject.Row]] = [:]
    for table in [CentreTable.session, .sample] + CentreTable.parts where table != .cell && !objects.isEmpty {
      let isOwn = table == .session || table == .sample
      let order = isOwn ? "id" : (["owner"] + table.key.dropFirst(4)).map { "\"\($0)\"" }.joined(separator: ", ")
      let condition = condition + " AND \(isOwn ? "id" : "owner") = ANY ($4::uuid[]) ORDER BY \(order)"
      for row in try self.rows(table, where: condition, place) {
        guard case .text(let owner) = row.fields[3] else { throw RestoredObjects.Damage(table: table.name) }
        rows[owner, default: []].append(row)
      }
    }
    var changes: [StoredChange] = []
    for entry in part {
      changes.append(entry.table == nil ? deletion(entry) : try change(entry, rows[entry.object.text] ?? []))
    }
    return changes
  }

  /// A piece of a file; nil behind the last one.
  mutating func piece(_ ordinal: Int64, of file: File) throws -> [UInt8]? {
    let answer = try database.run(
      """
      SELECT payload FROM sensord_attachment WHERE person = $1 AND time = $2::bigint AND gateway = $3 AND owner = $4::uuid
        AND file = $5::bytea AND ordinal = $6::integer
      """,
      [
        .text(file.person), .text(file.start), .text(gateway), .text(file.owner.text), .text("\\x\(file.digest)"),
        Field(ordinal),
      ])
    guard let row = answer.rows.first, case .bytes(let bytes) = Field(row[0], of: .bytea) else { return nil }
    return bytes
  }

  private func deletion(_ entry: Entry) -> StoredChange {
    StoredChange(
      number: entry.number, object: entry.object, isDeletion: true, time: entry.time, type: nil, source: nil,
      device: nil, session: nil, rows: [], members: [:])
  }

  private mutating func change(_ entry: Entry, _ rows: [CentreObject.Row]) throws -> StoredChange {
    var change = try RestoredObjects.object(rows)
    if !change.isWhole(rows) || !hasReferences(of: change.rows[0], entry.line) {
      damaged.append(entry.object)
    }
    for row in change.rows where row.table == "attachments" {
      guard case .blob(let digest) = row["digest"] else { throw RestoredObjects.Damage(table: "object") }
      files.insert(
        File(person: entry.person, start: entry.start, owner: entry.object, digest: Hexadecimal.text(digest)))
    }
    // Objects that were forgotten are not members any more.
    var positions: [SQLValue: Int64] = [:]
    change.rows = change.rows.compactMap { row in
      guard row.table == "associations", case .integer(let member) = row["member"] else { return row }
      guard let object = change.members[member], numbers[object] != nil else { return nil }
      var row = row
      if let index = row.columns.firstIndex(of: "position") {
        row.values[index] = .integer(positions[row["role"], default: 0])
        positions[row["role"], default: 0] += 1
      }
      return row
    }
    var objects: [Int64: Int64] = [:]
    for (member, object) in change.members { objects[member] = numbers[object] }
    if case .text(let session)? = rows.first.map({ try? $0.value("session") }) ?? nil,
      let id = UUID(uuidString: session), case .integer(let row) = change.rows[0]["session"]
    {
      objects[row] = numbers[id]
    }
    let types = types[entry.line] ?? [:]
    let own = change.rows[0]
    var renumbered = change.renumbered(
      to: entry.number, objects: objects, types: types, sources: sources[entry.line] ?? [:],
      devices: devices[entry.line] ?? [:])
    let first = renumbered.rows[0]
    renumbered.type = references.first {
      $0.table == "types" && (own.table == "sessions" ? $0["kind"] == .text("session") : $0["id"] == first["type"])
    }
    renumbered.source = references.first { $0.table == "sources" && $0["id"] == first["source"] }
    return renumbered
  }

  private func hasReferences(of own: StoredRow, _ line: Line) -> Bool {
    for (column, numbers) in [("type", types), ("source", sources), ("device", devices)] {
      if case .integer(let row) = own[column], numbers[line]?[row] == nil { return false }
    }
    return true
  }

  private mutating func rows(
    _ table: CentreTable, where condition: String, _ fields: [Field]
  ) throws -> [CentreObject.Row] {
    let columns = table.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    return try database.run("SELECT \(columns) FROM \(table.fullName) WHERE \(condition)", fields).rows.map { row in
      .init(table: table, fields: zip(row, table.columns).map { Field($0, of: $1.kind) })
    }
  }
}
