package import FoundationEssentials
package import HealthModel

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
