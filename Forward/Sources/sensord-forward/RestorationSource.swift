internal import Centre
internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore
internal import Support

/// The objects and deletions that the centre has of a store, or of all stores of a gateway, as changes in order: each object once, as the
/// centre has it.
///
/// Changes of the store's latest history keep their numbers; what others have brought gets the number that it has in the store, or another
/// one where that is taken.
struct RestorationSource: ~Copyable {
  private var database: Database
  private let gateway: String
  /// Nil of all stores.
  private let store: UUID?
  /// The rows of types, sources and devices that changes refer to.
  private(set) var references: [StoredRow] = []
  private var types: [Line: [Int64: Int64]] = [:]
  private var sources: [Line: [Int64: Int64]] = [:]
  private var devices: [Line: [Int64: Int64]] = [:]
  private var entries: [Entry] = []
  private var lines: [Line] = []
  private var persons: [String] = []
  /// The places of the objects in ``entries``, in the order of their identifiers.
  private var order: [Int32] = []
  private var done = 0
  /// Those so far whose rows are not what their digests say, or refer to what is not there.
  private(set) var damaged: [UUID] = []
  /// The files that were attached to objects so far.
  private(set) var files: Set<File> = []

  /// A file at the centre.
  struct File: Hashable {
    var person: String
    var start: Int64
    var owner: UUID
    /// 64 hexadecimal digits.
    var digest: String
    /// In bytes.
    var size: Int64
  }

  /// An object or a deletion, in little memory: a gateway has hundreds of thousands.
  private struct Entry {
    var object: UUID
    /// 0 where it has none in the store.
    var number: Int64
    /// When the object begins, or when it was deleted; nil where that is not known.
    var time: Int64?
    /// The place in ``lines`` of the line that has brought it, in whose numbers its rows are.
    var line: Int32
    /// The place of its person in ``persons``; -1 of deletions.
    var person: Int32

    var isDeletion: Bool { person < 0 }
  }

  init(database: consuming Database, of list: LineList, gateway: String, store: UUID?, other: String) throws {
    self.database = database
    self.gateway = gateway
    self.store = store
    types = try refer(.type, other: other)
    sources = try refer(.source, other: other)
    devices = try refer(.device, other: other)
    try find(list)
  }

  /// The first of these has its numbers: the lines of the store, the latest first.
  private var place: [Field] { [.text(gateway), Field(store?.text)] }

  /// Reads the rows of a table that objects refer to; the numbers of each line in the new store.
  private mutating func refer(_ table: CentreTable, other: String) throws -> [Line: [Int64: Int64]] {
    let found = try rows(
      table, .named(table),
      where: "gateway = $1 ORDER BY coalesce(store = $2::uuid, false) DESC, store, history DESC, \"row\"", place)
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
        number = taken.first { $0.value == content }?.key ?? (taken.keys.max() ?? 0) &+ 1
      }
      numbers[line, default: [:]][own] = number
      guard taken.updateValue(content, forKey: number) == nil else { continue }
      reference.values[0] = .integer(number)
      references.append(reference)
    }
    return numbers
  }

  /// Finds all objects and deletions, and their numbers.
  private mutating func find(_ list: LineList) throws {
    func rank(_ line: Line) -> (Int, String, Int64) { (line.store == store ? 0 : 1, line.store.text, -line.history) }
    lines = list.entries.map(\.line).sorted { rank($0) < rank($1) }
    try findObjects(list.mostObjects)
    // By their identifiers.
    let present = entries.map { (object: $0.object, number: $0.number) }.sorted { $0.object < $1.object }
    let twice = zip(present, present.dropFirst()).count { $0.object == $1.object }
    guard twice == 0 else {
      throw ForwardFailure(
        .data,
        "the centre has \(twice) objects under two persons; its administrator has to delete the rows of one of them, "
          + "and nothing was restored")
    }
    // Of the store first, then a session before its samples.
    entries.sort { ($0.line, $0.number) < ($1.line, $1.number) }
    var taken: Set<Int64> = []
    var later: [Entry] = []
    entries.removeAll { entry in
      guard entry.number == 0 || !taken.insert(entry.number).inserted else { return false }
      later.append(entry)
      return true
    }
    try findDeletions(besides: present, list.mostObjects, &taken, &later)
    entries.sort { $0.number < $1.number }
    for entry in later {
      let last = entries.last?.number ?? 0
      entries.append(entry)
      entries[entries.count - 1].number = last + 1
    }
    let entries = entries
    order = entries.indices.filter { !entries[$0].isDeletion }.map { Int32($0) }
    order.sort { entries[Int($0)].object < entries[Int($1)].object }
  }

  /// The place of a line in the list.
  private mutating func number(of line: Line) -> Int32 {
    if let place = lines.firstIndex(of: line) { return Int32(place) }
    lines.append(line)
    return Int32(lines.count - 1)
  }

  /// Finds the objects that nobody forgot, and that the store has; numbers of changes are at most `most`.
  private mutating func findObjects(_ most: Int) throws {
    var holders: [UUID: Int64] = [:]
    try database.each(
      "SELECT object, change FROM sensord_holder WHERE gateway = $1 AND store = $2::uuid ORDER BY history", place,
      Database.Shape([.uuid, .bigint], rows: most)
    ) { (row) throws(DatabaseFailure) in
      if let id = UUID(uuidString: row[0] ?? ""), let change = Int64(row[1] ?? "") { holders[id] = change }
    }
    var sessions: Set<UUID> = []
    var damage: RestoredObjects.Damage?
    var persons: [String: Int32] = [:]
    for table in [CentreTable.session, .sample] {
      // The deletions of an object, but not those of others.
      let gone =
        "SELECT 1 FROM sensord_tombstone AS gone WHERE gone.gateway = object.gateway AND gone.object = object.id"
      var found: [Entry] = []
      var lines: [Line] = []
      try database.each(
        """
        SELECT id, store, history, change, person, time, \(table == .sample ? "session" : "NULL"),
          EXISTS (\(gone) AND gone.store = object.store AND gone.history = object.history AND gone.number > object.change)
        FROM \(table.fullName) AS object
        WHERE gateway = $1 AND NOT EXISTS (\(gone) AND gone.number = \(Int64.max))
        """, [.text(gateway)],
        Database.Shape([.uuid, .uuid, .integer, .bigint, .text, .bigint, .uuid, .text], rows: most)
      ) { (row) throws(DatabaseFailure) in
        guard let id = UUID(uuidString: row[0] ?? ""), let line = Line(row[1], row[2]), let person = row[4],
          let change = Int64(row[3] ?? ""), let start = Int64(row[5] ?? ""), (1...Int64(most)).contains(change)
        else {
          damage = .init(table: table.name)
          return
        }
        var number = change
        if let store, line.store != store || row[7] == "t" {
          // A sample is of whoever has its session.
          let session = row[6].flatMap { UUID(uuidString: $0) }
          guard let held = holders[id] ?? session.flatMap({ sessions.contains($0) ? 0 : nil }) else { return }
          number = held
        }
        if table == .session { sessions.insert(id) }
        let next = Int32(persons.count)
        let place = lines.lastIndex(of: line) ?? lines.count
        if place == lines.count { lines.append(line) }
        found.append(
          Entry(
            object: id, number: number, time: start, line: Int32(place),
            person: persons[person]
              ?? {
                persons[person] = next
                return next
              }()))
      }
      let numbers = lines.map { number(of: $0) }
      for index in found.indices { found[index].line = numbers[Int(found[index].line)] }
      entries += found
    }
    if let damage { throw damage }
    self.persons = persons.sorted { $0.value < $1.value }.map(\.key)
  }

  /// Finds the deletions, and the numbers that are not taken yet.
  private mutating func findDeletions(
    besides present: [(object: UUID, number: Int64)], _ most: Int, _ taken: inout Set<Int64>, _ later: inout [Entry]
  ) throws {
    var deleted: Set<UUID> = []
    var found: [Entry] = []
    var isDamaged = false
    try database.each(
      """
      SELECT object, store, history, number, deleted FROM sensord_tombstone
      WHERE gateway = $1 AND coalesce(store = $2::uuid, true) ORDER BY store, history DESC, number
      """, place, Database.Shape([.uuid, .uuid, .integer, .bigint, .bigint], rows: 2 * most)
    ) { (row) throws(DatabaseFailure) in
      guard let id = UUID(uuidString: row[0] ?? ""), let number = Int64(row[3] ?? "") else {
        isDamaged = true
        return
      }
      let entry = Entry(object: id, number: number, time: Int64(row[4] ?? ""), line: 0, person: -1)
      let isOwn = (1...Int64(most)).contains(number) && !taken.contains(number)
      let there = Self.place(in: present.count) { present[$0].object < id }
      if let there, present[there].object == id {
        // Saved again after that.
        if isOwn, number < present[there].number {
          taken.insert(number)
          found.append(entry)
        }
        return
      }
      if isOwn {
        taken.insert(number)
        found.append(entry)
      } else if !deleted.contains(id) {
        later.append(entry)
      }
      deleted.insert(id)
    }
    guard !isDamaged else { throw RestoredObjects.Damage(table: "tombstone") }
    entries += found
  }

  /// The first place that is not before another; nil where all are.
  private static func place(in count: Int, _ isBefore: (Int) -> Bool) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low < count ? low : nil
  }

  /// The number of an object in the new store; nil where it is not there.
  private func number(of object: UUID) -> Int64? {
    let place = Self.place(in: order.count) { entries[Int(order[$0])].object < object }
    guard let entry = place.map({ entries[Int(order[$0])] }), entry.object == object else { return nil }
    return entry.number
  }

  /// The next changes; nil at the end.
  mutating func next() throws -> [StoredChange]? {
    var part = entries.dropFirst(done).prefix(100)
    guard !part.isEmpty else { return nil }
    var shape = try shape(of: part)
    while shape == nil {
      part = part.prefix(part.count / 4 + 1)
      shape = try self.shape(of: part)
    }
    done += part.count
    var rows: [String: [CentreObject.Row]] = [:]
    for table in Self.tables {
      guard var shape else { break }
      shape.kinds = table.columns.map(\.kind)
      let order = ([Self.name(in: table)] + table.key.dropFirst(4)).map { "\"\($0)\"" }.joined(separator: ", ")
      for row in try self.rows(table, shape, where: "\(Self.condition(on: table)) ORDER BY \(order)", fields(of: part))
      {
        guard case .text(let owner) = row.fields[3] else { throw RestoredObjects.Damage(table: table.name) }
        rows[owner, default: []].append(row)
      }
    }
    var changes: [StoredChange] = []
    for entry in part {
      changes.append(entry.isDeletion ? deletion(entry) : try change(entry, rows[entry.object.text] ?? []))
    }
    return changes
  }

  /// The tables that an object's rows are in.
  private static let tables = ([CentreTable.session, .sample] + CentreTable.parts).filter { $0 != .cell }

  private static func name(in table: CentreTable) -> String { table == .session || table == .sample ? "id" : "owner" }

  private static func condition(on table: CentreTable) -> String {
    "gateway = $1 AND person = ANY ($2::text[]) AND time = ANY ($3::bigint[]) AND \(name(in: table)) = ANY ($4::uuid[])"
  }

  private func fields(of part: ArraySlice<Entry>) -> [Field] {
    let objects = part.filter { !$0.isDeletion }
    return [
      .text(gateway), Insertion.textList(Set(objects.map { persons[Int($0.person)] })),
      Insertion.list(Set(objects.map { "\($0.time ?? 0)" })), Insertion.list(objects.map(\.object.text)),
    ]
  }

  /// How large the rows of some objects are, as the centre says; nil where there are several of them, and too large to be in memory
  /// at once.
  private mutating func shape(of part: ArraySlice<Entry>) throws -> Database.Shape? {
    let parts = Self.tables.map { table in
      let lengths = table.columns.compactMap { column in
        switch column.kind {
        case .text, .json: "coalesce(octet_length(\"\(column.name)\"::text), 0)"
        case .bytea: "coalesce(2 * octet_length(\"\(column.name)\") + 2, 0)"
        default: nil
        }
      }
      return """
        SELECT greatest(\(lengths.joined(separator: ", "))) AS longest, \(lengths.joined(separator: " + ")) AS total
        FROM \(table.fullName) WHERE \(Self.condition(on: table))
        """
    }
    let answer = try database.run(
      """
      SELECT count(*), coalesce(max(longest), 0)::bigint, coalesce(sum(total::bigint), 0)::bigint
      FROM (\(parts.joined(separator: " UNION ALL "))) AS part
      """, fields(of: part), [.bigint, .bigint, .bigint])
    guard let found = answer.rows.first?.map({ Int($0 ?? "") ?? -1 }), found.allSatisfy({ (0...1 << 28).contains($0) })
    else { throw DatabaseFailure(wrong: "no object is as large as it says") }
    // A row in memory is several times as large as a short one at the server.
    let collected = found[2] + 2048 * found[0]
    guard part.count == 1 || collected < 4 << 20 else { return nil }
    return Database.Shape([], text: found[1], collected: collected)
  }

  /// A piece of a file; nil behind the last one.
  mutating func piece(_ ordinal: Int64, of file: File) throws -> [UInt8]? {
    let answer = try database.run(
      """
      SELECT payload FROM sensord_attachment WHERE person = $1 AND time = $2::bigint AND gateway = $3 AND owner = $4::uuid
        AND file = $5::bytea AND ordinal = $6::integer
      """,
      [
        .text(file.person), Field(file.start), .text(gateway), .text(file.owner.text), .text("\\x\(file.digest)"),
        Field(ordinal),
      ], Database.Shape([.bytea], rows: 1, text: 2 + 2 * FileTransfer.pieceLength))
    guard let row = answer.rows.first, case .bytes(let bytes) = Field(row[0], of: .bytea) else { return nil }
    return bytes
  }

  private func deletion(_ entry: Entry) -> StoredChange {
    StoredChange(
      number: entry.number, object: entry.object, isDeletion: true,
      time: entry.time.map { Timestamp(microseconds: $0) }, type: nil, source: nil,
      device: nil, session: nil, rows: [], members: [:])
  }

  private mutating func change(_ entry: Entry, _ rows: [CentreObject.Row]) throws -> StoredChange {
    var change = try RestoredObjects.object(rows)
    let line = lines[Int(entry.line)]
    if !change.isWhole(rows) || !hasReferences(of: change.rows[0], line) {
      damaged.append(entry.object)
    }
    for row in change.rows where row.table == "attachments" {
      guard case .blob(let digest) = row["digest"], case .integer(let size) = row["size"] else {
        throw RestoredObjects.Damage(table: "object")
      }
      files.insert(
        File(
          person: persons[Int(entry.person)], start: entry.time ?? 0, owner: entry.object,
          digest: Hexadecimal.text(digest), size: size))
    }
    // Objects that were forgotten are not members any more.
    var positions: [SQLValue: Int64] = [:]
    change.rows = change.rows.compactMap { row in
      guard row.table == "associations", case .integer(let member) = row["member"] else { return row }
      guard let object = change.members[member], number(of: object) != nil else { return nil }
      var row = row
      if let index = row.columns.firstIndex(of: "position") {
        row.values[index] = .integer(positions[row["role"], default: 0])
        positions[row["role"], default: 0] += 1
      }
      return row
    }
    var objects: [Int64: Int64] = [:]
    for (member, object) in change.members { objects[member] = number(of: object) }
    if case .text(let session)? = rows.first.map({ try? $0.value("session") }) ?? nil,
      let id = UUID(uuidString: session),
      case .integer(let row) = change.rows[0]["session"]
    {
      objects[row] = number(of: id)
    }
    let types = types[line] ?? [:]
    let own = change.rows[0]
    var renumbered = change.renumbered(
      to: entry.number, objects: objects, types: types, sources: sources[line] ?? [:],
      devices: devices[line] ?? [:])
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
    _ table: CentreTable, _ shape: Database.Shape, where condition: String, _ fields: [Field]
  ) throws -> [CentreObject.Row] {
    let columns = table.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    return try database.run("SELECT \(columns) FROM \(table.fullName) WHERE \(condition)", fields, shape).rows.map {
      row in
      .init(table: table, fields: zip(row, table.columns).map { Field($0, of: $1.kind) })
    }
  }
}
