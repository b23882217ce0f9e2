import SeriesStore
import Support
import TestSupport

/// One damage of a store's file, told by its seed and number alone.
struct Damage {
  /// How a file is damaged.
  enum Kind: String, CaseIterable {
    /// One bit, anywhere where something is stored.
    case bit
    /// Several bits of a few bytes.
    case burst
    /// A page that another has the place of, or that is empty, or full of anything; a file that is cut or goes on.
    case page
    /// One value of one row, by SQL: SQLite itself finds nothing wrong.
    case value
    /// The bytes of a packed value.
    case packed
    /// As `value`, and the row's checksum is that of the new values: a checksum is of no help.
    case sealedValue
    /// As `packed`, and both checksums are right.
    case sealedPacked
    /// A declaration that would run, or compute for ever.
    case schema
    /// A page that stands in many places of its tree.
    case tree

    /// Whether a check has to name it where an answer differs.
    var isSealed: Bool { self == .sealedValue || self == .sealedPacked }
  }

  let number: Int
  let kind: Kind
  /// What was done.
  var description = ""
  /// Whether every answer has to be as before.
  var isHarmless = false
  /// The table whose row was changed.
  private(set) var table: String?
  var random: SeededGenerator

  /// The damage of that number.
  init(seed: UInt64, number: Int) {
    self.number = number
    random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(number) << 20)
    // Values more often: there are many columns.
    let kinds: [Kind] = [
      .bit, .bit, .burst, .page, .page, .value, .value, .value, .value, .packed, .sealedValue, .sealedValue,
      .sealedPacked, .schema, .schema, .schema, .tree,
    ]
    kind = kinds.randomElement(using: &random) ?? .bit
  }

  /// Damages a copy of the `sound` file at `path`, which nobody has open.
  mutating func apply(to path: String, sound: [UInt8]) throws {
    switch kind {
    case .bit, .burst, .page:
      var bytes = sound
      description = kind == .page ? changePages(of: &bytes) : flipBits(of: &bytes)
      try File.write(bytes, to: path)
    case .schema:
      try File.write(sound, to: path)
      let database = try Database(path)
      try declare(in: database)
      try? database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    case .tree:
      try File.write(sound, to: path)
      var roots: [Int] = []
      do {
        let database = try Database(path)
        try database.execute("PRAGMA journal_mode = DELETE")
        for row in try database.rows("SELECT rootpage FROM sqlite_schema WHERE rootpage > 1 ORDER BY rootpage") {
          if case .integer(let root) = row[0] { roots.append(Int(root)) }
        }
      }
      try File.write(growTree(of: try File.read(path), roots: roots), to: path)
    case .value, .sealedValue, .packed, .sealedPacked:
      try File.write(sound, to: path)
      let database = try Database(path)
      // What cannot be put there is no damage that a file can have; then it is another.
      while true {
        do {
          try database.execute("BEGIN")
          if kind == .packed || kind == .sealedPacked {
            try changeBlob(in: database)
          } else {
            try changeValue(in: database)
          }
          try database.execute("COMMIT")
          break
        } catch is Database.Failure { try? database.execute("ROLLBACK") }
      }
      try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }

  // MARK: - Bytes

  private static let pageSize = 16_384

  private mutating func flipBits(of bytes: inout [UInt8]) -> String {
    // Most of a small file is empty, where nothing is to be found.
    var position = Int.random(in: bytes.indices, using: &random)
    for _ in 0..<200 where bytes[position] == 0 { position = Int.random(in: bytes.indices, using: &random) }
    let range = position..<min(bytes.count, position + (kind == .bit ? 1 : 64))
    for _ in 0..<(kind == .bit ? 1 : Int.random(in: 2...40, using: &random)) {
      bytes[Int.random(in: range, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    }
    return "\(kind) at byte \(position)"
  }

  private mutating func changePages(of bytes: inout [UInt8]) -> String {
    let count = bytes.count / Self.pageSize
    let (one, other) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
    func range(_ page: Int) -> Range<Int> { page * Self.pageSize..<(page + 1) * Self.pageSize }
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      let kept = Array(bytes[range(one)])
      bytes.replaceSubrange(range(one), with: bytes[range(other)])
      bytes.replaceSubrange(range(other), with: kept)
      return "pages \(one + 1) and \(other + 1) in each other's place"
    case 1, 2:
      bytes.replaceSubrange(range(other), with: bytes[range(one)])
      return "page \(one + 1) also in the place of page \(other + 1)"
    case 3:
      bytes.replaceSubrange(range(one), with: repeatElement(0, count: Self.pageSize))
      return "page \(one + 1) empty"
    case 4:
      for position in range(one) { bytes[position] = UInt8.random(in: 0...255, using: &random) }
      return "page \(one + 1) full of anything"
    case 5:
      let length = Bool.random(using: &random) ? one * Self.pageSize : Int.random(in: 0..<bytes.count, using: &random)
      bytes.removeLast(bytes.count - length)
      return "cut to \(length) bytes"
    default:
      let length = Int.random(in: 1...3 * Self.pageSize, using: &random)
      let filler: UInt8 = Bool.random(using: &random) ? 0 : .random(in: 1...255, using: &random)
      bytes += Array(repeating: filler, count: length)
      return "\(length) bytes of \(filler) more"
    }
  }

  // MARK: - Values

  /// A table that holds something, its columns but the checksum, and those of its key.
  private struct Target {
    var name: String
    var columns: [String] = []
    var key: [String] = []
    var rows: Int64
  }

  private static func targets(in database: Database) throws -> [Target] {
    var targets: [Target] = []
    for row in try database.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
      guard case .text(let name) = row[0] else { continue }
      var target = Target(name: name, rows: try database.integer("SELECT count(*) FROM \"\(name)\""))
      for part in try database.rows("SELECT name, pk FROM pragma_table_info(?1) ORDER BY cid", .text(name)) {
        guard case .text(let column) = part[0] else { continue }
        target.columns.append("\"\(column)\"")
        if part[1] != .integer(0) { target.key.append("\"\(column)\"") }
      }
      if target.rows > 0 { targets.append(target) }
    }
    return targets
  }

  private mutating func changeValue(in database: Database) throws {
    let targets = try Self.targets(in: database)
    // Each column as often as each other one, so that a table of many columns has its share.
    let columns = targets.indices.flatMap { table in targets[table].columns.map { (table, $0) } }
    guard let (place, column) = columns.randomElement(using: &random) else { return }
    let target = targets[place]
    table = target.name
    let row = Int64.random(in: 0..<target.rows, using: &random)
    let present = try database.rows("SELECT \(column) FROM \"\(target.name)\" LIMIT 1 OFFSET \(row)").first?.first
    if Int.random(in: 0..<12, using: &random) == 0 {
      let other = Int64.random(in: 0..<target.rows, using: &random)
      let value = try database.rows("SELECT \(column) FROM \"\(target.name)\" LIMIT 1 OFFSET \(other)").first?.first
      try set(column, of: target, row, to: value ?? .null, in: database, "that of row \(other)")
    } else {
      let (value, name) = extreme(besides: present ?? .null)
      try set(column, of: target, row, to: value, in: database, name)
    }
    if kind == .sealedValue { try Self.seal(target, in: database) }
  }

  private mutating func set(
    _ column: String, of target: Target, _ row: Int64, to value: SQLValue, in database: Database, _ name: String
  ) throws {
    let key = target.key.isEmpty ? "rowid" : target.key.joined(separator: ", ")
    let change = """
      UPDATE "\(target.name)" SET \(column) = ?1
      WHERE (\(key)) = (SELECT \(key) FROM "\(target.name)" LIMIT 1 OFFSET \(row))
      """
    description = "\(kind): \(target.name).\(column), row \(row): \(name)"
    guard value == .null else {
      try database.rows(change, value)
      return
    }
    // SQLite refuses NULL where a column must not be it; in a file it can be.
    let declaration = try database.rows("SELECT sql FROM sqlite_schema WHERE name = ?1", .text(target.name))[0][0]
    func declare(_ value: SQLValue) throws {
      try database.execute("PRAGMA writable_schema = ON")
      try database.rows("UPDATE sqlite_schema SET sql = ?2 WHERE name = ?1", .text(target.name), value)
      try database.execute("PRAGMA writable_schema = RESET")
    }
    guard case .text(let text) = declaration else { return }
    try declare(.text(text.split(separator: " NOT NULL", omittingEmptySubsequences: false).joined()))
    try database.rows(change, value)
    try declare(declaration)
  }

  private static let longText = String(repeating: "ab", count: 1 << 19)
  private static let longBlob = [UInt8](repeating: 0, count: 1 << 20)
  private static let nested = String(repeating: "[", count: 3000)

  private mutating func extreme(besides present: SQLValue) -> (SQLValue, String) {
    var values: [SQLValue] = [
      .null, .integer(.min), .integer(.max), .integer(.min + 1), .integer(0), .integer(-1), .integer(1), .integer(2),
      .integer(1 << 62), .integer(-1 << 31), .integer(3_000_000_000), .integer(1 << 20),
      .integer(253_402_300_799_999_999),
      .integer(-62_135_596_800_000_000), .real(.infinity), .real(-.infinity), .real(.greatestFiniteMagnitude),
      .real(.leastNonzeroMagnitude), .real(-0.0), .real(9.3e18), .real(0.5), .text(""), .text("x"),
      .text("\u{1B}[2J\n\u{0}\u{202E}"), .text(Self.longText), .text("-9223372036854775808"),
      .text(Self.nested), .text("[[1],{\"a\":[9,1]},null,\"1e999\"]"),
      .text("[1e999,-1e999,99999999999999999999]"), .blob([]), .blob([0xFF, 0xFE, 0x00, 0x80]),
      .blob(Self.longBlob),
    ]
    values.append(.integer(Int64(bitPattern: random.next())))
    values.append(.real(Double(bitPattern: random.next())))
    switch present {
    case .integer(let integer):
      for _ in 0..<8 { values.append(.integer(integer ^ 1 << Int64.random(in: 0..<64, using: &random))) }
      values += [.integer(integer &+ 1), .integer(integer &- 1), .integer(-integer)]
    case .real(let real):
      for _ in 0..<8 {
        values.append(.real(Double(bitPattern: real.bitPattern ^ 1 << UInt64.random(in: 0..<64, using: &random))))
      }
    case .text(let text) where !text.isEmpty:
      for _ in 0..<6 {
        var bytes = Array(text.utf8)
        bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        values.append(.text(String(decoding: bytes, as: UTF8.self)))
      }
    case .blob(let bytes) where !bytes.isEmpty:
      for _ in 0..<6 {
        var changed = bytes
        changed[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        values.append(.blob(changed))
      }
    default: break
    }
    let value = values.randomElement(using: &random) ?? .null
    let name =
      switch value {
      case .text(let text) where text.utf8.count > 40: "text of \(text.utf8.count) bytes, \(text.prefix(8))"
      case .blob(let bytes) where bytes.count > 20: "blob of \(bytes.count) bytes"
      default: "\(value)"
      }
    return (value, name)
  }

  /// Gives every row the checksum of its values. That of a change goes on from the one before it.
  private static func seal(_ target: Target, in database: Database) throws {
    let columns = target.columns.filter { $0 != "\"checksum\"" }.joined(separator: ", ")
    guard target.name == "changes" else {
      try database.execute("UPDATE \"\(target.name)\" SET checksum = row_checksum(\(columns))")
      return
    }
    for row in try database.rows("SELECT number FROM changes ORDER BY number") {
      try database.rows(
        """
        UPDATE changes SET checksum = row_checksum(\(columns),
          (SELECT checksum FROM changes WHERE number < ?1 ORDER BY number DESC LIMIT 1)) WHERE number = ?1
        """, row[0])
    }
  }

  // MARK: - Packed values

  private mutating func changeBlob(in database: Database) throws {
    let places = try Self.targets(in: database).compactMap { target -> (Target, String)? in
      ["chunks": (target, "\"payload\""), "summaries": (target, "\"cells\"")][target.name]
    }
    guard let (target, column) = places.randomElement(using: &random) else { return }
    table = target.name
    let row = Int64.random(in: 0..<target.rows, using: &random)
    let other = Int64.random(in: 0..<target.rows, using: &random)
    func blob(_ row: Int64) throws -> [UInt8] {
      let rows = try database.rows("SELECT \(column) FROM \"\(target.name)\" LIMIT 1 OFFSET \(row)")
      return if case .blob(let bytes)? = rows.first?.first { bytes } else { [] }
    }
    var bytes = try blob(row)
    let name: String
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
      name = "cut to \(bytes.count)"
    case 1:
      bytes += (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      name = "longer"
    case 2:
      bytes = try blob(other)
      name = "that of row \(other)"
    case 3:
      // The head: counts, first times, scales.
      let place = Int.random(in: min(5, bytes.count - 1)..<min(24, bytes.count), using: &random)
      bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
      name = "byte \(place) is \(bytes[place])"
    default:
      let count = Int.random(in: 1...12, using: &random)
      for _ in 0..<count {
        bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      name = "\(count) bits"
    }
    if kind == .sealedPacked { Self.seal(&bytes) }
    try set(column, of: target, row, to: .blob(bytes), in: database, name)
    if kind == .sealedPacked { try Self.seal(target, in: database) }
  }

  /// Puts the checksum of the rest into the first four bytes.
  private static func seal(_ bytes: inout [UInt8]) {
    guard bytes.count > 4 else { return }
    let checksum = CRC32C.checksum(bytes.span, 4..<bytes.count)
    for place in 0..<4 { bytes[place] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * place)) }
  }
}
