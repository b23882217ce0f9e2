import FoundationEssentials
import HealthModel

/// Answers with the rows of the file.
struct HistoryReader {
  let connection: Connection
  private let contents: [(name: String, column: String, shift: Int64)]

  init(connection: Connection) throws(StoreError) {
    self.connection = connection
    contents = try connection.samples.contentTables()
  }

  func changes(after anchor: ChangeAnchor, limit: Int, bytes: Int) throws(StoreError) -> StoredChanges {
    let reader = ChangeReader(connection: connection)
    let last = try connection.changeList.last()
    let seen = try reader.number(of: anchor, last: last)
    guard let store = try reader.store() else { throw connection.corrupt("store") }
    var changes: [StoredChange] = []
    var end = seen
    var size = 0
    while end < last, changes.count < max(1, limit), changes.isEmpty || size < bytes {
      try connection.checkCancellation()
      end += 1
      let change = try change(end)
      size += change.size
      changes.append(change)
    }
    return StoredChanges(
      store: store, changes: changes, altered: try owners(after: seen, to: end), anchor: try reader.anchor(at: end),
      last: last, hasMore: end < last)
  }

  func objects(_ objects: [UUID]) throws(StoreError) -> [StoredChange] {
    var found: [StoredChange] = []
    for object in objects {
      var number = try connection.sessions.row(of: object)?.id
      if number == nil { number = try connection.samples.number(of: object) }
      if let number { found.append(try change(number)) }
    }
    return found
  }

  func devices() throws(StoreError) -> [StoredRow] { try rows("devices", where: "true ORDER BY id") }

  /// What was saved before and collected something that was saved since.
  private func owners(after first: Int64, to last: Int64) throws(StoreError) -> [StoredChange] {
    var numbers: [Int64] = []
    do {
      var statement = try connection.prepare(
        "SELECT DISTINCT owner FROM associations WHERE member > ?1 AND member <= ?2 AND owner <= ?1 ORDER BY owner")
      try statement.bind(first, at: 1)
      try statement.bind(last, at: 2)
      while try statement.step() { numbers.append(statement.integer(0)) }
    }
    var owners: [StoredChange] = []
    for number in numbers { owners.append(try change(number)) }
    return owners
  }

  private func change(_ number: Int64) throws(StoreError) -> StoredChange {
    guard
      let row = try rows("changes", where: "number = ?1", number).first, case .blob(let bytes) = row["uuid"],
      let object = UUID(bytes: bytes), case .integer(let deleted) = row["deleted"]
    else { throw connection.corrupt("change \(number)") }
    var change = StoredChange(
      number: number, object: object, isDeletion: deleted != 0, time: try time(of: number),
      type: try named("types", row["type"]), source: try named("sources", row["source"]), device: nil, session: nil,
      rows: [], members: [:])
    guard !change.isDeletion else { return change }
    change.rows = try rows("samples", where: "id = ?1", number)
    if change.rows.isEmpty {
      change.rows = try rows("sessions", where: "id = ?1", number)
      guard !change.rows.isEmpty else { return change }
      change.rows += try rows("gaps", where: "session = ?1 ORDER BY session, ordinal", number)
      if try connection.has(Schema.markers) {
        change.rows += try rows("markers", where: "session = ?1 ORDER BY session, ordinal", number)
      }
    } else {
      for table in contents { change.rows += try content(of: number, table) }
    }
    change.device = try named("devices", change.rows[0]["device"])
    if case .integer(let session) = change.rows[0]["session"] { change.session = try self.object(of: session) }
    change.rows += try rows("metadata_values", where: "owner = ?1 ORDER BY owner, key", number)
    let associations = try rows("associations", where: "owner = ?1 ORDER BY owner, role, position", number)
    change.rows += associations
    for association in associations {
      if case .integer(let member) = association["member"] { change.members[member] = try self.object(of: member) }
    }
    return change
  }

  private func content(
    of number: Int64, _ table: (name: String, column: String, shift: Int64)
  ) throws(StoreError) -> [StoredRow] {
    let first = number << table.shift
    guard first >> table.shift == number else { return [] }
    return try rows(
      table.name, where: "\(table.column) BETWEEN ?1 AND ?2 ORDER BY \(table.column)", first,
      first | (1 << table.shift - 1))
  }

  private func object(of number: Int64) throws(StoreError) -> UUID? {
    var statement = try connection.prepare("SELECT uuid FROM changes WHERE number = ?1")
    try statement.bind(number, at: 1)
    return try statement.step() ? UUID(bytes: statement.bytes(0)) : nil
  }

  private func time(of number: Int64) throws(StoreError) -> Timestamp? {
    var statement = try connection.prepare("SELECT time FROM commits WHERE first <= ?1 ORDER BY first DESC LIMIT 1")
    try statement.bind(number, at: 1)
    return try statement.step() ? Timestamp(microseconds: statement.integer(0)) : nil
  }

  /// The row of a table that something refers to.
  private func named(_ table: String, _ reference: SQLValue) throws(StoreError) -> StoredRow? {
    guard case .integer(let row) = reference else { return nil }
    return try rows(table, where: "id = ?1", row).first
  }

  private func rows(
    _ table: String, where condition: String, _ arguments: Int64...
  ) throws(StoreError) -> [StoredRow] {
    var statement = try connection.prepare("SELECT * FROM \(table) WHERE \(condition)")
    for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: Int32(index) + 1) }
    let columns = statement.columnNames
    let kept = columns.indices.filter { columns[$0] != Table.checksum }
    let name = table.hasPrefix("\"") ? String(table.dropFirst().dropLast()) : table
    var rows: [StoredRow] = []
    while try statement.step() {
      rows.append(
        StoredRow(
          table: name, columns: kept.map { columns[$0] }, values: kept.map { statement.value(Int32(clamping: $0)) }))
    }
    return rows
  }
}

extension StoredChange {
  /// About how much memory its values take, in bytes.
  fileprivate var size: Int {
    rows.reduce(64) { size, row in
      row.values.reduce(size + 32) { size, value in
        switch value {
        case .text(let text): size + text.utf8.count
        case .blob(let bytes): size + bytes.count
        case .null, .integer, .real: size + 8
        }
      }
    }
  }
}
