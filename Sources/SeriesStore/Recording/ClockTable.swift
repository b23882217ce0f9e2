package import FoundationEssentials
package import HealthModel

/// Whether a wall clock can be believed. The raw values are those of the store's file.
package enum ClockBelief: Int64, Hashable, Sendable, CaseIterable {
  /// No service says, as in a container. Counts as not synchronised.
  case notKnown = 0
  /// The kernel's clock is as it was started, or as somebody set it.
  case notSynchronised = 1
  /// The kernel's greatest error is below 16 s: what `timedatectl` calls synchronised.
  case synchronised = 2
  /// A person said when the recording was.
  case byHand = 3

  /// The name in JSON.
  package var name: String {
    switch self {
    case .notKnown: "notKnown"
    case .notSynchronised: "notSynchronised"
    case .synchronised: "synchronised"
    case .byHand: "byHand"
    }
  }

  /// Whether it dates a recording for good.
  package var isTrusted: Bool { self == .synchronised || self == .byHand }
}

/// The clock by which a session or a workout is dated.
package struct RecordedClock: Hashable, Sendable {
  /// The start of the machine in which it was recorded; nil where nobody knows.
  package var boot: UUID?
  /// How far the wall clock is ahead of that boot's clock, in microseconds; nil where nobody knows.
  package var lead: Int64?
  package var belief: ClockBelief
  /// Whether its dates are in doubt: "clock not set".
  package var isDoubtful: Bool
  /// How often it was dated anew. Each dating has sample identifiers of its own.
  package var dating: Int64 = 0
  /// How far all datings together moved it from the dates of its recording, in microseconds.
  package var shift: Int64 = 0

  package init(boot: UUID?, lead: Int64?, belief: ClockBelief, isDoubtful: Bool) {
    self.boot = boot
    self.lead = lead
    self.belief = belief
    self.isDoubtful = isDoubtful
  }

  /// A clock further off than this is a wrong one, in microseconds.
  package static let tolerance: Int64 = 1_000_000

  /// Whether a lead is this clock's, but for what clocks are slewed by.
  package func isNear(_ other: Int64) -> Bool {
    guard let lead else { return false }
    return Self.isNear(lead, other)
  }

  /// Whether two leads are of the same clock, but for what it is slewed by.
  package static func isNear(_ lead: Int64, _ other: Int64) -> Bool {
    let (distance, overflow) = lead.subtractingReportingOverflow(other)
    return !overflow && distance.magnitude <= UInt64(tolerance)
  }
}

/// The outcome of dating anew.
package struct DatingOutcome: Hashable, Sendable {
  package var sessions: [UUID] = []
  package var workouts: [UUID] = []
  /// Workouts whose sessions were moved, and which stay: they have samples or a route that programs gave with dates of their own.
  package var staying: [UUID] = []
  /// By how much everything was moved, in microseconds.
  package var shift: Int64 = 0

  package init() {}
}

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

extension HealthStore {
  /// The clock by which a stored session or workout is dated; nil where nothing says.
  package func clock(of object: UUID) throws(StoreError) -> RecordedClock? {
    try opened().read { (connection) throws(StoreError) in
      var number = try connection.sessions.row(of: object)?.id
      if number == nil { number = try connection.samples.number(of: object) }
      return try number.flatMap { (number) throws(StoreError) in try connection.clocks.clock(of: number) }
    }
  }

  /// The clocks of all stored sessions and workouts of which something is known.
  package func clocks() throws(StoreError) -> [UUID: RecordedClock] {
    try opened().read { (connection) throws(StoreError) in try connection.clocks.all() }
  }

  /// How many sessions and workouts have dates that are in doubt.
  package func doubtfulCount() throws(StoreError) -> Int {
    try opened().read { (connection) throws(StoreError) in Int(clamping: try connection.clocks.doubtfulCount()) }
  }

  /// The end of the newest session that was stored while the clock was synchronised.
  package func newestBelievedEnd() throws(StoreError) -> Timestamp? {
    try opened().read { (connection) throws(StoreError) in try connection.clocks.newestBelievedEnd() }
  }

  /// What is known of the clock of a boot, and the lead for which that holds, in microseconds; nil where nothing is.
  package func clockBelief(in boot: UUID) throws(StoreError) -> (belief: ClockBelief, lead: Int64)? {
    try opened().read { (connection) throws(StoreError) in try connection.clocks.belief(in: boot) }
  }

  /// Remembers it.
  package func remember(_ belief: ClockBelief, at lead: Int64, in boot: UUID) throws(StoreError) {
    try opened().write { (connection) throws(StoreError) in
      try connection.clocks.remember(belief, at: lead, in: boot)
    }
  }

  /// The sessions and workouts of a boot whose clock nobody believed, and that `lead` dates otherwise, each with by how much.
  package func misdated(in boot: UUID, at lead: Int64) throws(StoreError) -> [(object: UUID, shift: Int64)] {
    try opened().read { (connection) throws(StoreError) in try connection.clocks.misdated(in: boot, at: lead) }
  }

  /// Dates sessions and workouts anew, in one transaction; see ``Dating``.
  ///
  /// - Parameters:
  ///   - objects: Their identifiers; those that are not in the store are passed over, so that what was deleted stays so.
  ///   - microseconds: By how much they are moved; whole milliseconds of it.
  ///   - belief: What they are dated by now.
  ///   - lead: The lead of the clock that dates them; nil where a person does.
  /// - Returns: What was moved.
  /// - Throws: ``StoreError``; nothing was changed then.
  package func date(
    _ objects: [UUID], by microseconds: Int64, as belief: ClockBelief, lead: Int64?
  ) throws(StoreError) -> DatingOutcome {
    let file = try opened()
    let outcome = try file.write { (connection) throws(StoreError) in
      var dating = Dating(connection, by: microseconds, as: belief, lead: lead)
      try dating.perform(objects)
      return dating.outcome
    }
    notifyListeners()
    return outcome
  }
}
