package import FoundationEssentials
package import HealthModel

extension HealthStore {
  /// Makes the heart events of a stored session those that a scan has found, in one transaction: those that are stored as they
  /// are stay, and a second scan changes nothing.
  ///
  /// - Parameters:
  ///   - session: The session's identity.
  ///   - syncVersion: The version that was scanned.
  ///   - kinds: What was looked for; events of other kinds stay.
  ///   - events: What was found.
  /// - Returns: What was changed; nil where the store does not have that version of the session any more.
  /// - Throws: ``StoreError``; nothing was changed.
  package func renewEvents(
    of session: UUID, as syncVersion: Int64, kinds: Set<HeartEvent.Kind>, to events: [HeartEvent]
  ) throws(StoreError) -> EventRenewal? {
    let file = try opened()
    let renewal = try file.write { (connection) throws(StoreError) in
      try connection.sessions.renewEvents(of: session, as: syncVersion, kinds: kinds, to: events)
    }
    guard let renewal, renewal.added + renewal.removed > 0 else { return renewal }
    defer { notifyListeners() }
    if renewal.removed > 0 { try Erasure(connection: file.connection).finish() }
    return renewal
  }
}
