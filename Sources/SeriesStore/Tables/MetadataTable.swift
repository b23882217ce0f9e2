import HealthModel

/// Keys and values of sessions and samples, by the number of the change that saved them.
struct MetadataTable {
  let connection: Connection

  /// The type of a stored value: SQLite's own types do not distinguish flags, times and quantities from numbers.
  enum Form: Int64 {
    case text = 0
    case integer = 1
    case real = 2
    case flag = 3
    case time = 4
    case quantity = 5
  }

  /// Saves metadata; a number that is not finite is left out.
  func insert(_ metadata: Metadata, of owner: Int64) throws(StoreError) {
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      guard let stored = value.stored else { continue }
      try connection.insert(
        [.integer(owner), .text(key), .integer(value.form.rawValue), stored, value.unit], into: Schema.metadata)
    }
  }

  func values(of owner: Int64) throws(StoreError) -> Metadata {
    try values("SELECT key, form, value, unit FROM metadata_values WHERE owner = ?1", of: owner)
  }

  /// The quality report of a session.
  func quality(ofSession session: Int64) throws(StoreError) -> QualityReport {
    QualityReport(try values("SELECT key, form, value, unit FROM (\(QualityText.rows)) WHERE id = ?1", of: session))
  }

  /// The values in a statement's rows of key, form, value and unit.
  func values(_ text: String, of owner: Int64) throws(StoreError) -> Metadata {
    var statement = try connection.prepare(text)
    try statement.bind(owner, at: 1)
    return try Self.values(in: &statement)
  }

  /// The values in the rows of a statement whose parameters are bound.
  static func values(in statement: inout Statement) throws(StoreError) -> Metadata {
    var metadata: Metadata = [:]
    while try statement.step() {
      guard let key = statement.text(0), let form = Form(rawValue: statement.integer(1)) else { continue }
      let value: MetadataValue? =
        switch form {
        case .text: .text(statement.text(2) ?? "")
        case .integer: .integer(statement.integer(2))
        case .real: .real(Self.real(in: statement, 2))
        case .flag: .flag(statement.integer(2) != 0)
        case .time: .time(Timestamp(microseconds: statement.integer(2)))
        case .quantity:
          // A unit of a later program stays as it is.
          statement.text(3).map { .quantity(Quantity(Self.real(in: statement, 2), Unit($0) ?? Unit(opaque: $0))) }
        }
      if let value { metadata[key] = value }
    }
    return metadata
  }

  /// A real number, also one that was stored as text.
  private static func real(in row: borrowing Statement, _ column: Int32) -> Double {
    if case .text(let text) = row.value(column) { Double(text) ?? 0 } else { row.real(column) }
  }

  func delete(of owner: Int64) throws(StoreError) {
    try connection.run("DELETE FROM metadata_values WHERE owner = ?1", owner)
  }
}

extension MetadataValue {
  var form: MetadataTable.Form {
    switch self {
    case .text: .text
    case .integer: .integer
    case .real: .real
    case .flag: .flag
    case .time: .time
    case .quantity: .quantity
    }
  }

  /// The stored form; nil if the value cannot be stored.
  var stored: SQLValue? {
    switch self {
    case .text(let text): .text(text)
    case .integer(let integer): .integer(integer)
    case .real(let real): real.isFinite ? .real(real) : nil
    case .flag(let flag): .integer(flag ? 1 : 0)
    case .time(let time): SQLValue(time)
    case .quantity(let quantity): quantity.value.isFinite ? .real(quantity.value) : nil
    }
  }

  var unit: SQLValue {
    if case .quantity(let quantity) = self { .text(quantity.unit.symbol) } else { .null }
  }
}
