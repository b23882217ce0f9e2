/// What a scan for heart events changed in a session.
package struct EventRenewal: Hashable, Sendable {
  /// Events that were not stored.
  package var added: Int
  /// Stored events that the rules do not find any more.
  package var removed: Int
  /// Events that were stored as they are.
  package var kept: Int

  package init(added: Int = 0, removed: Int = 0, kept: Int = 0) {
    self.added = added
    self.removed = removed
    self.kept = kept
  }
}
