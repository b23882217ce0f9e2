internal import Centre
internal import FoundationEssentials
internal import SeriesStore

/// The objects that the centre has of a gateway, and whether their rows are those that a store's are made of.
struct CentreRows {
  /// A line that has an object which another has brought.
  struct Holder: Hashable {
    var object: UUID
    var line: Line
  }

  private let gateway: [Field]
  private(set) var objects = HeldObjects()
  /// The rows that objects refer to: by table, history and number, the rest of the row.
  private var references: [String: [Field]] = [:]
  private(set) var holders: Set<Holder> = []

  /// Reads all but the rows of the objects.
  init(of list: LineList, gateway: String, in database: inout Database) throws {
    self.gateway = [.text(gateway)]
    for table in [CentreTable.session, .sample] {
      objects.beginTable()
      try each(
        """
        SELECT id, digest, store, history, change, coalesce(sync_version, 0) FROM \(table.fullName) WHERE gateway = $1
        ORDER BY id
        """,
        Database.Shape([.uuid, .bytea, .uuid, .integer, .bigint, .bigint], rows: list.mostObjects), &database
      ) { (row) throws(DatabaseFailure) in
        guard let id = UUID(uuidString: row[0] ?? ""), let line = Line(row[2], row[3]),
          let change = Int64(row[4] ?? ""), let version = Int64(row[5] ?? "")
        else { return }
        guard
          objects.add(
            HeldObjects.Held(id, digest: Transfer.bytes(row[1]), change: change, syncVersion: version), of: line)
        else { throw DatabaseFailure(wrong: "its rows are not in the order that was asked for") }
      }
    }
    try each(
      "SELECT object, store, history FROM sensord_holder WHERE gateway = $1",
      Database.Shape([.uuid, .uuid, .integer], rows: list.mostObjects), &database
    ) { row in
      guard let id = UUID(uuidString: row[0] ?? ""), let line = Line(row[1], row[2]) else { return }
      holders.insert(Holder(object: id, line: line))
    }
    for table in Self.referred {
      for row in try read(table, where: "gateway = $1", self.gateway, .named(table), &database) {
        references[Self.key(row, of: nil)] = Self.compared(row)
      }
    }
  }

  /// Notes that the store has an object.
  mutating func see(_ object: CentreObject, at place: Int) { objects.see(object, at: place) }

  /// Whether the centre says that an object is a line's, too, which another has brought: it was before their fork, or it is named.
  func isNamed(_ held: HeldObjects.Held, for lines: Lines) -> Bool {
    let line = objects.line(of: held)
    return line.store == lines.own.store && lines.knows(held.change, of: line)
      || holders.contains(Holder(object: held.id, line: lines.own))
  }

  private static let referred = [CentreTable.type, .source, .device]

  private static func key(_ row: CentreObject.Row, of line: Line?) -> String {
    let place = (1...3).map { if case .text(let text) = row.fields[$0] { text } else { "" } }
    let line = line.map { "\($0.store.text) \($0.history)" } ?? "\(place[0]) \(place[1])"
    return "\(row.table.name) \(line) \(place[2])"
  }

  /// Returns the fields of a row with null for those that may differ: names may have stayed at home, or come when the configuration
  /// allowed them.
  private static func compared(_ row: CentreObject.Row) -> [Field] {
    let left = ["store", "history", "saved", "name", "local_identifier", "unique_device_identifier"]
    return zip(row.fields, row.table.columns).map { field, column in
      if left.contains(column.name) || row.table == .source && column.name == "identifier" { return .null }
      return Self.plain(field, of: column.kind)
    }
  }

  private static func plain(_ field: Field, of kind: CentreTable.Kind) -> Field {
    guard kind == .real, case .text(let text) = field, let real = Double(text) else { return field }
    return Field(real == 0 ? 0 : real)
  }

  /// Those of some objects, which are there with the store's digests, whose rows are others or refer to others.
  func altered(
    _ some: [(object: CentreObject, references: [CentreObject.Row])], in database: inout Database
  ) throws -> Set<UUID> {
    guard !some.isEmpty else { return [] }
    var expected: [UUID: Set<CentreObject.Row>] = [:]
    var altered: Set<UUID> = []
    for (object, references) in some {
      expected[object.id] = Set(object.rows.map(Self.row))
      let line = objects[object.id].map(objects.line)
      for reference in references
      where self.references[Self.key(reference, of: line)] != Self.compared(reference) {
        altered.insert(object.id)
      }
    }
    let found = try rows(of: some.map(\.object), &database)
    for (id, rows) in expected where found[id] != rows { altered.insert(id) }
    return altered
  }

  /// A row as it is compared: of packed values their digest, which was made of them on both sides.
  private static func row(_ row: CentreObject.Row) -> CentreObject.Row {
    var fields = compared(row)
    if row.table == .chunk, let payload = row.table.columns.firstIndex(where: { $0.name == "payload" }),
      case .bytes(let bytes) = fields[payload]
    {
      fields[payload] = .bytes(StoredRow.digest(of: bytes))
    }
    return .init(table: row.table, fields: fields)
  }

  private func rows(of some: [CentreObject], _ database: inout Database) throws -> [UUID: Set<CentreObject.Row>] {
    let first = (some.map(\.time).min() ?? 0).subtractingReportingOverflow(900_000_000)
    let shared: [Field] = [
      gateway[0], Insertion.textList(Set(some.map(\.person))), Insertion.list(some.map(\.id.text)),
    ]
    let times = Insertion.list(Set(some.map { "\($0.time)" }))
    let span: [Field] = [
      Field(first.overflow ? Int64.min : first.partialValue), Field(some.map(\.until).max()),
    ]
    // Other rows may be there than in the store, but not any number of them, nor of any length.
    let lengths = some.lazy.flatMap(\.rows).flatMap(\.fields).map {
      if case .text(let text) = $0 { text.utf8.count } else { 0 }
    }
    let text = 4 * (lengths.max() ?? 0) + 65_536
    var found: [UUID: Set<CentreObject.Row>] = [:]
    for table in [CentreTable.session, .sample] + CentreTable.parts {
      let isOwn = table == .session || table == .sample
      let time =
        table == .cell ? "time >= $4::bigint AND time <= $5::bigint" : "time = ANY ($4::bigint[])"
      let condition =
        "gateway = $1 AND person = ANY ($2::text[]) AND \(isOwn ? "id" : "owner") = ANY ($3::uuid[]) AND \(time)"
      for row in try read(
        table, where: condition, shared + (table == .cell ? span : [times]),
        Database.Shape(table.columns.map(\.kind), text: text), &database)
      {
        guard case .text(let owner) = row.fields[3], let id = UUID(uuidString: owner) else { continue }
        found[id, default: []].insert(.init(table: table, fields: Self.compared(row)))
      }
    }
    return found
  }

  /// Gives one row of this gateway after the other.
  private func each(
    _ statement: String, _ shape: Database.Shape, _ database: inout Database,
    _ body: ([String?]) throws(DatabaseFailure) -> Void
  ) throws(ForwardFailure) {
    do throws(DatabaseFailure) { try database.each(statement, gateway, shape, body) } catch {
      throw ForwardFailure(error)
    }
  }

  private func read(
    _ table: CentreTable, where condition: String, _ fields: [Field], _ shape: Database.Shape,
    _ database: inout Database
  ) throws -> [CentreObject.Row] {
    let columns = table.columns.map { column in
      table == .chunk && column.name == "payload" ? "sha256(payload)" : "\"\(column.name)\""
    }.joined(separator: ", ")
    return try VerifyCommand.rows(
      "SELECT \(columns) FROM \(table.fullName) WHERE \(condition)", fields, shape, &database
    ).map { row in
      .init(table: table, fields: zip(row, table.columns).map { Field($0, of: $1.kind) })
    }
  }
}
