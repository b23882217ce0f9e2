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
  /// - Returns: What became of the workout.
  /// - Throws: ``StoreError``; nothing was saved then.
  package func commit(
    _ workout: NewSample, computed: [NewSample], as source: SourceRevision, computedBy recorder: SourceRevision
  ) throws(StoreError) -> CommitOutcome {
    if try wasDeleted(workout.id) { return .deletedBefore }
    let outcome = try opened().write { (connection) throws(StoreError) in
      _ = try connection.samples.save(computed, as: recorder)
      return try connection.samples.save([workout], as: source).first ?? .unchanged
    }
    notifyListeners()
    return outcome
  }
}

extension UUID {
  /// The sample of the energy that a strap counted during the workout with this identifier.
  package var energySample: UUID { derived(part: 1, version: 1) }
}
