package import HealthModel
package import SeriesStore

/// Looks for heart events in stored sessions anew, as the final pass does: for rules that were switched on or changed, and workouts
/// that were saved or deleted later.
package struct EventScan: Sendable {
  private let store: HealthStore
  private let rules: HeartEventRules

  /// - Parameters:
  ///   - store: A store that is open for writing.
  ///   - rules: What is looked for. Events that other rules have found stay.
  package init(in store: HealthStore, by rules: HeartEventRules) {
    self.store = store
    self.rules = rules
  }

  /// Scans one session.
  ///
  /// - Parameter session: As it is stored.
  /// - Returns: What was changed; nothing where somebody replaced or deleted the session meanwhile.
  /// - Throws: `StoreError`; the session's events are as they were.
  @concurrent package func scan(_ session: SessionSummary) async throws(StoreError) -> EventRenewal {
    do throws(StoreError) {
      return try await store.rescanEvents(of: session.id, as: session.syncVersion, by: rules) ?? EventRenewal()
    } catch {
      guard error.code == .notFound else { throw error }
      return EventRenewal()
    }
  }
}
