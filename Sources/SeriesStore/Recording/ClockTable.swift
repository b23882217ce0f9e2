import FoundationEssentials
import HealthModel

/// By which clocks sessions and workouts are dated, and what is known of the boots that these clocks are of.
///
/// A file from before there were any has no such tables until a program opens it to write.
struct ClockTable {
  let connection: Connection

  private static let columns = "boot, lead, belief, doubtful, dating, shift"

  /// The clock of the session or workout with that number; nil where nothing says.
  func clock(of owner: Int64) throws(StoreError) -> RecordedClock? {
    guard try connection.has(Schema.clocks) else { return nil }
    var statement = try connection.prepare("SELECT \(Self.columns) FROM clocks WHERE owner = ?1")
    try statement.bind(owner, at: 1)
    return try statement.step() ? Self.clock(in: statement, from: 0) : nil
  }

  /// Those of all sessions and workouts.
  func all() throws(StoreError) -> [UUID: RecordedClock] {
    guard try connection.has(Schema.clocks) else { return [:] }
    var statement = try connection.prepare(
      "SELECT change.uuid, \(Self.columns) FROM clocks JOIN changes AS change ON change.number = clocks.owner")
    var clocks: [UUID: RecordedClock] = [:]
    while try statement.step() {
      if let id = UUID(bytes: statement.bytes(0)) { clocks[id] = Self.clock(in: statement, from: 1) }
    }
    return clocks
  }

  /// How many sessions and workouts have dates that are in doubt.
  func doubtfulCount() throws(StoreError) -> Int64 {
    guard try connection.has(Schema.clocks) else { return 0 }
    return try connection.integer("SELECT count(*) FROM clocks WHERE doubtful <> 0")
  }

  func set(_ clock: RecordedClock, of owner: Int64) throws(StoreError) {
    try delete(of: owner)
    try connection.insert(
      [
        .integer(owner), clock.boot.map { SQLValue($0) } ?? .null, SQLValue(clock.lead),
        .integer(clock.belief.rawValue), .integer(clock.isDoubtful ? 1 : 0), .integer(clock.dating),
        .integer(clock.shift),
      ], into: Schema.clocks)
  }

  func delete(of owner: Int64) throws(StoreError) {
    guard try connection.has(Schema.clocks) else { return }
    try connection.run("DELETE FROM clocks WHERE owner = ?1", owner)
  }

  /// The end of the newest session that was stored while the clock was synchronised: no later one can lie before it.
  func newestBelievedEnd() throws(StoreError) -> Timestamp? {
    guard try connection.has(Schema.clocks) else { return nil }
    var statement = try connection.prepare(
      "SELECT max(session.end) FROM clocks JOIN sessions AS session ON session.id = clocks.owner WHERE belief = ?1")
    try statement.bind(ClockBelief.synchronised.rawValue, at: 1)
    return try statement.step() ? statement.optionalInteger(0).map { Timestamp(microseconds: $0) } : nil
  }

  /// The sessions and workouts of a boot that nobody believed then, and that another lead dates otherwise, each with by how much it
  /// is to be moved.
  func misdated(in boot: UUID, at lead: Int64) throws(StoreError) -> [(object: UUID, shift: Int64)] {
    guard try connection.has(Schema.clocks) else { return [] }
    var statement = try connection.prepare(
      """
      SELECT change.uuid, clocks.lead FROM clocks JOIN changes AS change ON change.number = clocks.owner
      WHERE boot = ?1 AND belief IN (0, 1) AND lead IS NOT NULL ORDER BY owner
      """)
    try statement.bind(boot.bytes, at: 1)
    var found: [(object: UUID, shift: Int64)] = []
    while try statement.step() {
      let earlier = statement.integer(1)
      guard let object = UUID(bytes: statement.bytes(0)), !RecordedClock.isNear(earlier, lead) else { continue }
      found.append((object, lead &- earlier))
    }
    return found
  }

  /// Knowledge of a boot's clock; nil where there is none.
  func belief(in boot: UUID) throws(StoreError) -> (belief: ClockBelief, lead: Int64)? {
    guard try connection.has(Schema.boots) else { return nil }
    var statement = try connection.prepare("SELECT belief, lead FROM boots WHERE boot = ?1")
    try statement.bind(boot.bytes, at: 1)
    guard try statement.step(), let belief = ClockBelief(rawValue: statement.integer(0)) else { return nil }
    return (belief, statement.integer(1))
  }

  /// Remembers what is known of a boot's clock, in the place of the oldest: sessions that a crash left are stored in a later boot.
  func remember(_ belief: ClockBelief, at lead: Int64, in boot: UUID) throws(StoreError) {
    var statement = try connection.prepare("DELETE FROM boots WHERE boot = ?1")
    try statement.bind(boot.bytes, at: 1)
    try statement.run()
    try connection.insert([SQLValue(boot), .integer(lead), .integer(belief.rawValue)], into: Schema.boots)
    try connection.execute(
      "DELETE FROM boots WHERE rowid <= (SELECT max(rowid) FROM boots) - \(Self.rememberedBoots)")
  }

  private static let rememberedBoots = 100

  private static func clock(in row: borrowing Statement, from column: Int32) -> RecordedClock {
    var clock = RecordedClock(
      boot: UUID(bytes: row.bytes(column)), lead: row.optionalInteger(column + 1),
      belief: ClockBelief(rawValue: row.integer(column + 2)) ?? .notKnown, isDoubtful: row.integer(column + 3) != 0)
    clock.dating = row.integer(column + 4)
    clock.shift = row.integer(column + 5)
    return clock
  }
}
