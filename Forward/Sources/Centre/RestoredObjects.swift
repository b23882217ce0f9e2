internal import FoundationEssentials
internal import HealthModel
public import SeriesStore

/// Makes rows of a store from rows of the centre: the reverse of ``CentreObjects``.
public enum RestoredObjects {
  /// A row of the centre whose values cannot be a store's.
  public struct Damage: Error, Hashable, Sendable {
    /// The table at the centre.
    public var table: String

    public init(table: String) { self.table = table }
  }

  /// A row of `types`, `sources` or `devices`.
  ///
  /// A device whose address was not forwarded gets a mark with its person as address, so that ``Persons`` finds the same person.
  public static func reference(_ row: CentreObject.Row, other: String) throws(Damage) -> StoredRow {
    let columns: [String]
    switch row.table {
    case .type: columns = ["identifier", "kind", "unit", "style", "style_version"]
    case .source: columns = ["identifier", "name", "version", "product_type", "operating_system_version"]
    default:
      columns = [
        "name", "manufacturer", "model", "hardware_version", "firmware_version", "software_version", "local_identifier",
        "unique_device_identifier",
      ]
    }
    let name = row.table == .type ? "types" : row.table == .source ? "sources" : "devices"
    var values = [try row.value("row")]
    for column in columns { values.append(try row.value(column)) }
    if name == "devices", values[7] == .null, case .text(let person) = try row.value("person"), person != other {
      values[7] = .text(Persons.restoredMark + person)
    }
    return StoredRow(table: name, columns: ["id"] + columns, values: values)
  }

  /// Makes an object from the rows that ``CentreObjects/object(_:)`` made of it: first its own row, then the others, in any order of
  /// tables, and within a table in the order of the key.
  public static func object(_ rows: [CentreObject.Row]) throws(Damage) -> StoredChange {
    guard let own = rows.first, own.table == .session || own.table == .sample else { throw Damage(table: "object") }
    let number = try own.value("change")
    guard case .integer(let change) = number, case .text(let text) = try own.value("id"),
      let id = UUID(uuidString: text)
    else { throw Damage(table: own.table.name) }
    var restored = StoredChange(
      number: change, object: id, isDeletion: false, time: nil, type: nil, source: nil, device: nil, session: nil,
      rows: [try ownRow(own, number)], members: [:])
    if case .integer(let saved) = try own.value("saved") { restored.time = Timestamp(microseconds: saved) }
    for row in rows.dropFirst() {
      let table = row.table
      switch table {
      case .chunk:
        guard case .integer(let ordinal) = try row.value("ordinal") else { throw Damage(table: table.name) }
        let key = SQLValue.integer(change << 20 | ordinal)
        restored.rows.append(
          StoredRow(table: "chunks", columns: ["id", "payload"], values: [key, try row.value("payload")]))
        if try row.value("start_time") != .null {
          restored.rows.append(
            try row.stored(
              "summaries", [("id", key)],
              [
                ("start", "start_time"), ("end", "until"), ("count", "count"), ("sum", "sum"), ("minimum", "minimum"),
                ("maximum", "maximum"), ("cells", "cells"),
              ]))
        }
      case .run:
        let columns = ["ordinal", "first", "count", "first_tick", "anchor", "slope", "uncertainty"]
        restored.rows.append(
          try row.stored(
            "runs", [("sample", number)], columns.map { ($0, $0) } + [("start", "start_time"), ("end", "until")]))
      case .gap:
        restored.rows.append(
          try row.stored(
            "gaps", [("session", number)],
            [
              ("ordinal", "ordinal"), ("reason", "reason"), ("detail", "detail"), ("start", "start_time"),
              ("end", "until"), ("lost", "lost"),
            ]))
      case .metadata:
        guard case .text(let json) = try row.value("value") else { throw Damage(table: table.name) }
        var reader = RowReader(json)
        guard let value = reader.wholeValue() else { throw Damage(table: table.name) }
        restored.rows.append(
          StoredRow(
            table: "metadata_values", columns: ["owner", "key", "form", "value", "unit"],
            values: [number, try row.value("key"), try row.value("form"), value, try row.value("unit")]))
      case .association:
        restored.rows.append(
          try row.stored(
            "associations", [("owner", number)], [("role", "role"), ("position", "position"), ("member", "member")]))
        if case .integer(let member) = try row.value("member"), case .text(let object) = try row.value("object"),
          let object = UUID(uuidString: object)
        {
          restored.members[member] = object
        }
      case .opaque:
        guard case .text(let json) = try row.value("row"), case .text(let origin) = try row.value("origin") else {
          throw Damage(table: table.name)
        }
        var reader = RowReader(json)
        guard let members = reader.wholeObject() else { throw Damage(table: table.name) }
        let made = StoredRow(table: origin, columns: members.map(\.name), values: members.map(\.value))
        // The own row is here, too, where one of its texts has a zero, which no column of the centre can have.
        if origin == restored.rows[0].table { restored.rows[0] = made } else { restored.rows.append(made) }
      default: break
      }
    }
    return restored
  }

  private static func ownRow(_ own: CentreObject.Row, _ number: SQLValue) throws(Damage) -> StoredRow {
    if own.table == .session {
      let columns = ["end_reason", "coverage_floor", "coverage_ceiling", "quality"]
      return try own.stored(
        "sessions", [("id", number)],
        [
          ("sync_version", "sync_version"), ("source", "source"), ("device", "device"), ("start", "time"),
          ("end", "until"),
        ] + columns.map { ($0, $0) })
    }
    let columns = [
      "value", "count", "sum", "average", "minimum", "maximum", "most_recent", "most_recent_start", "most_recent_end",
      "duration", "sync_identifier", "sync_version",
    ]
    return try own.stored(
      "samples", [("id", number)],
      [
        ("type", "type"), ("source", "source"), ("device", "device"), ("session", "session_change"), ("start", "time"),
        ("end", "until"),
      ] + columns.map { ($0, $0) })
  }
}

extension StoredChange {
  /// Whether the digest at the centre is that of these rows in the store's order, by table and in a table by key. `centre` are the rows of
  /// the centre from which this change was made, the object's own first.
  public func isWhole(_ centre: [CentreObject.Row]) -> Bool {
    for chunk in centre where chunk.table == .chunk {
      guard let digest = try? chunk.value("sha256"), case .blob(let payload)? = try? chunk.value("payload"),
        digest == .blob(StoredRow.digest(of: payload))
      else { return false }
    }
    func rank(_ row: StoredRow) -> (Int, [UInt8], Int64, [UInt8]) {
      let name = Array(row.table.utf8)
      return switch row.table {
      case "metadata_values": (1, name, 0, row["key"].utf8)
      case "associations": (2, name, 0, [])
      case "chunks", "summaries": (0, name, row["id"].integer ?? 0, [])
      case "gaps", "markers", "runs": (0, name, row["ordinal"].integer ?? 0, [])
      default: (0, name, 0, [])
      }
    }
    let ranked = rows.dropFirst().enumerated().map { (place: $0.offset, rank: rank($0.element), row: $0.element) }
    let sorted = ranked.sorted { one, other in
      if one.rank.0 != other.rank.0 { return one.rank.0 < other.rank.0 }
      if one.rank.1 != other.rank.1 { return one.rank.1.lexicographicallyPrecedes(other.rank.1) }
      if one.rank.2 != other.rank.2 { return one.rank.2 < other.rank.2 }
      if one.rank.3 != other.rank.3 { return one.rank.3.lexicographicallyPrecedes(other.rank.3) }
      return one.place < other.place
    }
    guard let own = centre.first, case .blob(let digest)? = try? own.value("digest") else { return false }
    return digest == CentreObjects.digest(of: rows.prefix(1) + sorted.map(\.row))
  }
}

extension SQLValue {
  fileprivate var utf8: [UInt8] { if case .text(let text) = self { Array(text.utf8) } else { [] } }
}

extension CentreObject.Row {
  /// The value of a column, in the type of the column's kind.
  public func value(_ column: String) throws(RestoredObjects.Damage) -> SQLValue {
    guard let index = table.columns.firstIndex(where: { $0.name == column }), index < fields.count else {
      throw RestoredObjects.Damage(table: table.name)
    }
    switch (fields[index], table.columns[index].kind) {
    case (.null, _): return .null
    case (.bytes(let bytes), _): return .blob(bytes)
    case (.text(let text), .bigint), (.text(let text), .integer):
      if let integer = Int64(text) { return .integer(integer) }
    case (.text(let text), .real):
      if let real = Double(text) { return .real(real) }
    case (.text(let text), _): return .text(text)
    }
    throw RestoredObjects.Damage(table: table.name)
  }

  /// A row of the store's table `name`: the values `first`, then for each pair the store's column with the value of the centre's.
  fileprivate func stored(
    _ name: String, _ first: [(String, SQLValue)], _ columns: [(String, String)]
  ) throws(RestoredObjects.Damage) -> StoredRow {
    var row = StoredRow(table: name, columns: first.map(\.0), values: first.map(\.1))
    for (column, source) in columns {
      row.columns.append(column)
      row.values.append(try value(source))
    }
    return row
  }
}
