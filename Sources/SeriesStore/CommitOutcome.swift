/// The result of saving an object.
@nonexhaustive
public enum CommitOutcome: String, Hashable, Sendable, CaseIterable, Codable {
  /// It was new and has been stored.
  case stored
  /// It replaced an earlier save: one with a smaller sync version, or of a session with the same version and an earlier
  /// algorithm.
  case replaced
  /// The store already has it, in this or a later version; nothing was written.
  case unchanged
  /// It was deleted before and is not to be restored; nothing was written.
  case deletedBefore
}
