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
    let identity = try identity()
    var changes: [StoredChange] = []
    var end = seen
    /// The last of them whose row can be read: only such a one has an anchor.
    var readable = seen
    var size = 0
    while end < last, readable < end || changes.count < max(1, limit), changes.isEmpty || size < bytes {
      try connection.checkCancellation()
      end += 1
      let change = try change(end)
      if change.object != StoredChange.nothing || change.isDeletion { readable = end }
      size += change.size
      changes.append(change)
    }
    return StoredChanges(
      store: identity.store, changes: changes, altered: try owners(after: seen, to: end),
      anchor: readable == seen ? anchor : try reader.anchor(at: readable), last: last, hasMore: end < last,
      links: try links(from: seen + 1, to: end), isIdentityDamaged: identity.isDamaged)
  }

  /// The identity of the store, and whether its row was altered: then it may be another store's.
  private func identity() throws(StoreError) -> (store: UUID, isDamaged: Bool) {
    var damaged: Set<String> = []
    guard let row = try rows(Schema.store.name, where: "true", damaged: &damaged).first,
      case .blob(let bytes) = row["uuid"], let identity = UUID(bytes: bytes)
    else { throw connection.corrupt("store") }
    return (identity, !damaged.isEmpty)
  }

  /// The places of changes in their list; 0 of those that cannot be read.
  func links(from first: Int64, to last: Int64) throws(StoreError) -> [ChangeLink] {
    guard first > 0 else { return [] }
    let last = min(last, try connection.changeList.last())
    guard first <= last else { return [] }
    let times = try commits(from: first, to: last)
    var next = ChainLink.read(first, on: connection)
    var before = ChainLink.read(first - 1, on: connection)?.checksum ?? .null
    var place = 0
    var links: [ChangeLink] = []
    for number in first...last {
      let link = next
      next = number < last ? ChainLink.read(number + 1, on: connection) : nil
      while place + 1 < times.count, times[place + 1].first <= number { place += 1 }
      let time = place < times.count ? UInt32(truncatingIfNeeded: times[place].time) : 0
      guard let link else {
        before = .null
        links.append(ChangeLink(checksum: 0, computed: 0, time: time))
        continue
      }
      let computed = link.continued(from: before)
      // A checksum that was altered is not the one that the next change continues.
      let isAltered = computed != link.checksum && next.map { $0.continued(from: computed) == $0.checksum } == true
      before = isAltered ? computed : link.checksum
      links.append(ChangeLink(checksum: before.word, computed: computed.word, time: time))
    }
    return links
  }

  private func commits(from first: Int64, to last: Int64) throws(StoreError) -> [(first: Int64, time: Int64)] {
    var statement = try connection.prepare(
      """
      SELECT first, time FROM commits WHERE first <= ?2
        AND first >= ifnull((SELECT max(first) FROM commits WHERE first <= ?1), 0) ORDER BY first
      """)
    try statement.bind(first, at: 1)
    try statement.bind(last, at: 2)
    var commits: [(first: Int64, time: Int64)] = []
    while try statement.step() { commits.append((statement.integer(0), statement.integer(1))) }
    return commits
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

  /// Those whose rows are what was written: another may have another's address.
  func devices() throws(StoreError) -> [StoredRow] {
    var devices: [StoredRow] = []
    var numbers: [Int64] = []
    do {
      var statement = try connection.prepare("SELECT id FROM devices ORDER BY id")
      while try statement.step() { numbers.append(statement.integer(0)) }
    }
    for number in numbers {
      var damaged: Set<String> = []
      let rows = try rows("devices", where: "id = ?1", number, damaged: &damaged)
      if damaged.isEmpty { devices += rows }
    }
    return devices
  }

  /// Returns the objects that were saved before and collected one that was saved since.
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

  /// A change with its rows. What is damaged is named in it and keeps no other back; one whose own row cannot be read is of nothing.
  private func change(_ number: Int64) throws(StoreError) -> StoredChange {
    var change = StoredChange(
      number: number, object: StoredChange.nothing, isDeletion: false, time: nil, type: nil, source: nil, device: nil,
      session: nil, rows: [], members: [:])
    do throws(StoreError) {
      try read(&change)
    } catch {
      guard case .corrupt = error.code else { throw error }
      change.rows = []
      change.damagedTables.insert(Schema.changes.name)
    }
    return change
  }

  private func read(_ change: inout StoredChange) throws(StoreError) {
    let number = change.number
    guard let link = try ChainLink(number, on: connection), case .blob(let bytes) = link.values[1],
      let object = UUID(bytes: bytes), case .integer(let deleted) = link.values[4]
    else { throw connection.corrupt("change \(number)") }
    (change.object, change.isDeletion, change.time) = (object, deleted != 0, try time(of: number))
    if !link.isSound(on: connection) { change.damagedTables.insert(Schema.changes.name) }
    change.type = try named("types", link.values[2], damaged: &change.damagedTables)
    change.source = try named("sources", link.values[3], damaged: &change.damagedTables)
    guard !change.isDeletion else { return }
    func add(_ table: String, where condition: String) throws(StoreError) {
      change.rows += try rows(table, where: condition, number, damaged: &change.damagedTables)
    }
    try add("samples", where: "id = ?1")
    if change.rows.isEmpty {
      try add("sessions", where: "id = ?1")
      guard !change.rows.isEmpty else { return }
      try add("gaps", where: "session = ?1 ORDER BY session, ordinal")
      if try connection.has(Schema.markers) { try add("markers", where: "session = ?1 ORDER BY session, ordinal") }
    } else {
      for table in contents {
        change.rows += try content(of: number, table, damaged: &change.damagedTables)
      }
    }
    change.device = try named("devices", change.rows[0]["device"], damaged: &change.damagedTables)
    if case .integer(let session) = change.rows[0]["session"] { change.session = try self.object(of: session) }
    try addClock(to: &change)
    try add("metadata_values", where: "owner = ?1 ORDER BY owner, key")
    let before = change.rows.count
    try add("associations", where: "owner = ?1 ORDER BY owner, role, position")
    for association in change.rows[before...] {
      if case .integer(let member) = association["member"] { change.members[member] = try self.object(of: member) }
    }
    let areSealed = change.rows.allSatisfy { row in
      guard row.table == ChunkTable.chunks.name, case .blob(let payload) = row["payload"] else { return true }
      return ChunkSeal.isWhole(payload)
    }
    if !areSealed { change.damagedTables.insert(ChunkTable.chunks.name) }
  }

  /// Adds by which clock a session or a workout is dated, in the order of the tables' names: digests are made in that order.
  private func addClock(to change: inout StoredChange) throws(StoreError) {
    guard try connection.has(Schema.clocks) else { return }
    let name = Schema.clocks.name
    let clock = try rows(name, where: "owner = ?1", change.number, damaged: &change.damagedTables)
    let place = change.rows.dropFirst().firstIndex { $0.table > name } ?? change.rows.endIndex
    change.rows.insert(contentsOf: clock, at: place)
  }

  private func content(
    of number: Int64, _ table: (name: String, column: String, shift: Int64), damaged: inout Set<String>
  ) throws(StoreError) -> [StoredRow] {
    let first = number << table.shift
    guard first >> table.shift == number else { return [] }
    return try rows(
      table.name, where: "\(table.column) BETWEEN ?1 AND ?2 ORDER BY \(table.column)", first,
      first | (1 << table.shift - 1), damaged: &damaged)
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
  private func named(
    _ table: String, _ reference: SQLValue, damaged: inout Set<String>
  ) throws(StoreError) -> StoredRow? {
    guard case .integer(let row) = reference else { return nil }
    return try rows(table, where: "id = ?1", row, damaged: &damaged).first
  }

  /// Rows of a table without their checksums; the table is added to `damaged` where one is not that of its row.
  private func rows(
    _ table: String, where condition: String, _ arguments: Int64..., damaged: inout Set<String>
  ) throws(StoreError) -> [StoredRow] {
    var statement = try connection.prepare("SELECT * FROM \(table) WHERE \(condition)")
    for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: Int32(index) + 1) }
    let columns = statement.columnNames
    let seal = columns.firstIndex(of: Table.checksum)
    let kept = columns.indices.filter { $0 != seal }
    let name = table.hasPrefix("\"") ? String(table.dropFirst().dropLast()) : table
    var rows: [StoredRow] = []
    while try statement.step() {
      let values = kept.map { statement.value(Int32(clamping: $0)) }
      // Columns behind the checksum are of a later version of this program, and not of it.
      if let seal, statement.value(Int32(clamping: seal)) != .integer(RowChecksum.of(Array(values.prefix(seal)))) {
        damaged.insert(name)
      }
      rows.append(StoredRow(table: name, columns: kept.map { columns[$0] }, values: values))
    }
    return rows
  }
}

/// A row of the list of changes, whose checksum covers that of the row before it.
private struct ChainLink {
  let number: Int64
  /// Without the checksum.
  let values: [SQLValue]
  let checksum: SQLValue

  /// The row of a number; nil where there is none.
  init?(_ number: Int64, on connection: Connection) throws(StoreError) {
    var statement = try connection.prepare(
      "SELECT number, uuid, type, source, deleted, checksum FROM changes WHERE number = ?1")
    try statement.bind(number, at: 1)
    guard try statement.step() else { return nil }
    self.number = number
    values = (0..<5).map { statement.value($0) }
    checksum = statement.value(5)
  }

  /// Whether its values are those that were written. Where the row before cannot be read nothing says so, and its object is judged by
  /// its own rows; where a checksum alone was changed, this row's or the one's before, the values around it say so.
  func isSound(on connection: Connection) -> Bool {
    let before = Self.read(number - 1, on: connection)
    guard number == 1 || before != nil else { return true }
    let own = continued(from: before?.checksum ?? .null)
    if own == checksum { return true }
    if let before, let earlier = number == 2 ? .null : Self.read(number - 2, on: connection)?.checksum,
      continued(from: before.continued(from: earlier)) == checksum
    {
      return true
    }
    guard let after = Self.read(number + 1, on: connection) else { return false }
    return after.continued(from: own) == after.checksum
  }

  static func read(_ number: Int64, on connection: Connection) -> ChainLink? {
    do throws(StoreError) { return try ChainLink(number, on: connection) } catch { return nil }
  }

  func continued(from before: SQLValue) -> SQLValue { .integer(RowChecksum.of(values + [before])) }
}

extension SQLValue {
  /// A checksum's bits.
  fileprivate var word: UInt32 { if case .integer(let value) = self { UInt32(truncatingIfNeeded: value) } else { 0 } }
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
