package import FoundationEssentials
package import HealthModel

extension HealthStore {
  /// Saves a workout of another program together with what the recorder computed of it, in one transaction, once.
  ///
  /// - Parameters:
  ///   - workout: The workout, with its sync identity; what it has collected is in the store or among `computed`.
  ///   - computed: Samples that the recorder made for it.
  ///   - source: The program whose the workout is.
  ///   - recorder: The source of what was computed: a program sees it only as far as it may read such samples.
  ///   - rules: The sessions of its time are searched anew by these, since no heart event is of a workout.
  ///   - clock: The one by which it is dated.
  /// - Returns: What became of the workout.
  /// - Throws: ``StoreError``; nothing was saved then.
  package func commit(
    _ workout: NewSample, computed: [NewSample], as source: SourceRevision, computedBy recorder: SourceRevision,
    eventRules rules: HeartEventRules, clock: RecordedClock? = nil
  ) throws(StoreError) -> CommitOutcome {
    if try wasDeleted(workout.id) { return .deletedBefore }
    let file = try opened()
    let (outcome, hasRemoved) = try file.write { (connection) throws(StoreError) in
      _ = try connection.samples.save(computed, as: recorder)
      let outcome = try connection.samples.save([workout], as: source).first ?? .unchanged
      if let clock, outcome == .stored, let number = try connection.samples.number(of: workout.id) {
        try connection.clocks.set(clock, of: number)
      }
      return (outcome, try connection.sessions.rescanEvents(during: workout.span, by: rules))
    }
    notifyListeners()
    // It is stored all the same: what is left of an event's bytes goes with the next deletion or opening.
    if hasRemoved { try? Erasure(connection: file.connection).finish() }
    return outcome
  }
}

extension UUID {
  /// The sample of the energy that a strap counted during the workout with this identifier.
  package var energySample: UUID { derived(part: 1, version: 1) }

  /// The sample of the heart rate recovery after it.
  package var recoverySample: UUID { derived(part: 2, version: 1) }
}
