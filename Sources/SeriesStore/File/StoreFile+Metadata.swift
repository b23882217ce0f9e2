import HealthModel

extension StoreFile {
  /// Whose metadata it is: the table holds them all.
  enum MetadataKind: Int64 {
    case session = 0
    case quality = 1
    case sample = 2
    /// What the store has to remember about itself; its owner is 0.
    case store = 3
  }

  /// How a value is to be read: SQLite's own types do not tell a flag, a time or a quantity from a number.
  private enum Form: Int64 {
    case text = 0
    case integer = 1
    case real = 2
    case flag = 3
    case time = 4
    case quantity = 5
  }

  /// Saves metadata; a number that is not finite is left out.
  func insert(
    _ metadata: Metadata, of owner: Int64, kind: MetadataKind, replacing: Bool = false
  ) throws(StoreError) {
    guard !metadata.isEmpty else { return }
    var statement = try connection.prepare(
      "INSERT\(replacing ? " OR REPLACE" : "") INTO metadata (owner, kind, key, form, value, unit) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    )
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      try statement.bind(owner, at: 1)
      try statement.bind(kind.rawValue, at: 2)
      try statement.bind(key, at: 3)
      try statement.bind(nil as String?, at: 6)
      let form: Form
      switch value {
      case .text(let text):
        form = .text
        try statement.bind(text, at: 5)
      case .integer(let integer):
        form = .integer
        try statement.bind(integer, at: 5)
      case .real(let real):
        guard real.isFinite else { continue }
        form = .real
        try statement.bind(real, at: 5)
      case .flag(let flag):
        form = .flag
        try statement.bind(Int64(flag ? 1 : 0), at: 5)
      case .time(let time):
        form = .time
        try statement.bind(time.microseconds, at: 5)
      case .quantity(let quantity):
        guard quantity.value.isFinite else { continue }
        form = .quantity
        try statement.bind(quantity.value, at: 5)
        try statement.bind(quantity.unit.symbol, at: 6)
      }
      try statement.bind(form.rawValue, at: 4)
      try statement.run()
    }
  }

  func metadata(of owner: Int64, kind: MetadataKind) throws(StoreError) -> Metadata {
    var statement = try connection.prepare(
      "SELECT key, form, value, unit FROM metadata WHERE owner = ?1 AND kind = ?2")
    try statement.bind(owner, at: 1)
    try statement.bind(kind.rawValue, at: 2)
    var metadata: Metadata = [:]
    while try statement.step() {
      guard let key = statement.text(0), let form = Form(rawValue: statement.integer(1)) else { continue }
      let value: MetadataValue? =
        switch form {
        case .text: .text(statement.text(2) ?? "")
        case .integer: .integer(statement.integer(2))
        case .real: .real(statement.real(2))
        case .flag: .flag(statement.integer(2) != 0)
        case .time: .time(Timestamp(microseconds: statement.integer(2)))
        case .quantity: statement.text(3).flatMap(Unit.init).map { .quantity(Quantity(statement.real(2), $0)) }
        }
      if let value { metadata[key] = value }
    }
    return metadata
  }

  func deleteMetadata(of owner: Int64, kind: MetadataKind, key: String? = nil) throws(StoreError) {
    var statement = try connection.prepare(
      "DELETE FROM metadata WHERE owner = ?1 AND kind = ?2 AND key = ifnull(?3, key)")
    try statement.bind(owner, at: 1)
    try statement.bind(kind.rawValue, at: 2)
    try statement.bind(key, at: 3)
    try statement.run()
  }
}
