package import FoundationEssentials
package import HealthModel

/// The belief in a wall clock. The raw values are those of the store's file.
package enum ClockBelief: Int64, Hashable, Sendable, CaseIterable {
  /// No service reports the state of the clock, as in a container. Counts as not synchronised.
  case notKnown = 0
  /// The kernel's clock is as it was started, or as somebody set it.
  case notSynchronised = 1
  /// The kernel's greatest error is below 16 s; `timedatectl` calls this synchronised.
  case synchronised = 2
  /// A person has given the time of the recording.
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

  /// Whether the dates of a recording by such a clock are final.
  package var isTrusted: Bool { self == .synchronised || self == .byHand }
}

/// The clock by which a session or a workout is dated.
package struct RecordedClock: Hashable, Sendable {
  /// The boot of the machine in which the session or workout was recorded; nil where it is not known.
  package var boot: UUID?
  /// The lead of the wall clock over that boot's clock, in microseconds; nil where it is not known.
  package var lead: Int64?
  package var belief: ClockBelief
  /// Whether the dates are in doubt: "clock not set".
  package var isDoubtful: Bool
  /// The number of times that the session or workout was dated anew. Each dating has sample identifiers of its own.
  package var dating: Int64 = 0
  /// The distance by which all datings together have moved the session or workout from the dates of its recording, in
  /// microseconds.
  package var shift: Int64 = 0

  package init(boot: UUID?, lead: Int64?, belief: ClockBelief, isDoubtful: Bool) {
    self.boot = boot
    self.lead = lead
    self.belief = belief
    self.isDoubtful = isDoubtful
  }

  /// The greatest error of a clock that still counts as right, in microseconds.
  package static let tolerance: Int64 = 1_000_000

  /// Whether a lead is that of this clock, apart from the small steps by which clocks are slewed.
  package func isNear(_ other: Int64) -> Bool {
    guard let lead else { return false }
    return Self.isNear(lead, other)
  }

  /// Whether two leads are of the same clock, apart from the small steps by which clocks are slewed.
  package static func isNear(_ lead: Int64, _ other: Int64) -> Bool {
    let (distance, overflow) = lead.subtractingReportingOverflow(other)
    return !overflow && distance.magnitude <= UInt64(tolerance)
  }
}

/// The outcome of dating anew.
package struct DatingOutcome: Hashable, Sendable {
  package var sessions: [UUID] = []
  package var workouts: [UUID] = []
  /// Workouts that stay though their sessions were moved: programs have given them samples or a route with dates of
  /// their own.
  package var staying: [UUID] = []
  /// The distance by which everything was moved, in microseconds.
  package var shift: Int64 = 0

  package init() {}
}

/// The clocks by which sessions and workouts are dated, and the boots of the machine to which these clocks belong.
///
/// A file of an earlier program has no such tables until a newer program opens it to write.
struct ClockTable {
  let connection: Connection

  private static let columns = "boot, lead, belief, doubtful, dating, shift"

  /// The clock of the session or workout with that number; nil where it is not known.
  func clock(of owner: Int64) throws(StoreError) -> RecordedClock? {
    guard try connection.has(Schema.clocks) else { return nil }
    var statement = try connection.prepare("SELECT \(Self.columns) FROM clocks WHERE owner = ?1")
    try statement.bind(owner, at: 1)
    return try statement.step() ? Self.clock(in: statement, from: 0) : nil
  }

  /// The clocks of all sessions and workouts, by their identifiers.
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

  /// The number of sessions and workouts with dates that are in doubt.
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

  /// The sessions and workouts of a boot that were dated by a clock which was not believed, and that another lead dates
  /// otherwise, each with the distance by which it is to be moved.
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

  /// The belief in a boot's clock, with the lead; nil for an unknown boot.
  func belief(in boot: UUID) throws(StoreError) -> (belief: ClockBelief, lead: Int64)? {
    guard try connection.has(Schema.boots) else { return nil }
    var statement = try connection.prepare("SELECT belief, lead FROM boots WHERE boot = ?1")
    try statement.bind(boot.bytes, at: 1)
    guard try statement.step(), let belief = ClockBelief(rawValue: statement.integer(0)) else { return nil }
    return (belief, statement.integer(1))
  }

  /// Records belief and lead of a boot's clock, and removes those of the oldest boots. Sessions that a crash left are
  /// stored in a later boot, but are dated by the clock of the boot in which they were recorded.
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
  /// The clock by which a stored session or workout is dated; nil where it is not known.
  package func clock(of object: UUID) throws(StoreError) -> RecordedClock? {
    try opened().read { (connection) throws(StoreError) in
      var number = try connection.sessions.row(of: object)?.id
      if number == nil { number = try connection.samples.number(of: object) }
      return try number.flatMap { (number) throws(StoreError) in try connection.clocks.clock(of: number) }
    }
  }

  /// The clocks of all stored sessions and workouts for which they are known.
  package func clocks() throws(StoreError) -> [UUID: RecordedClock] {
    try opened().read { (connection) throws(StoreError) in try connection.clocks.all() }
  }

  /// The number of sessions and workouts with dates that are in doubt.
  package func doubtfulCount() throws(StoreError) -> Int {
    try opened().read { (connection) throws(StoreError) in Int(clamping: try connection.clocks.doubtfulCount()) }
  }

  /// The end of the newest session that was stored while the clock was synchronised.
  package func newestBelievedEnd() throws(StoreError) -> Timestamp? {
    try opened().read { (connection) throws(StoreError) in try connection.clocks.newestBelievedEnd() }
  }

  /// The belief in the clock of a boot, and the lead for which that belief holds, in microseconds; nil for an unknown
  /// boot.
  package func clockBelief(in boot: UUID) throws(StoreError) -> (belief: ClockBelief, lead: Int64)? {
    try opened().read { (connection) throws(StoreError) in try connection.clocks.belief(in: boot) }
  }

  /// Records the belief in the clock of a boot, and the lead for which that belief holds, in microseconds.
  package func remember(_ belief: ClockBelief, at lead: Int64, in boot: UUID) throws(StoreError) {
    try opened().write { (connection) throws(StoreError) in
      try connection.clocks.remember(belief, at: lead, in: boot)
    }
  }

  /// The sessions and workouts of a boot that were dated by a clock which was not believed, and that `lead` dates
  /// otherwise, each with the distance by which it is to be moved.
  package func misdated(in boot: UUID, at lead: Int64) throws(StoreError) -> [(object: UUID, shift: Int64)] {
    try opened().read { (connection) throws(StoreError) in try connection.clocks.misdated(in: boot, at: lead) }
  }

  /// Dates sessions and workouts anew, in one transaction; see ``Dating``.
  ///
  /// - Parameters:
  ///   - objects: The identifiers of sessions and workouts. Objects that are not in the store are skipped, so that
  ///     deleted ones stay deleted.
  ///   - microseconds: The distance by which they are moved, rounded to whole milliseconds.
  ///   - belief: The belief in the dates that they get.
  ///   - lead: The lead of the clock that dates them; nil where a person does.
  /// - Returns: The objects that were moved, and the workouts that stay.
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
