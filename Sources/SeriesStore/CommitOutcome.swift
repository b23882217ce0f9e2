/// What became of an object that was handed to the store.
@nonexhaustive
public enum CommitOutcome: String, Hashable, Sendable, CaseIterable, Codable {
  /// It is new and stored.
  case stored
  /// An earlier save gave way to it: one with a smaller sync version, or of a session with the same and an earlier
  /// algorithm.
  case replaced
  /// The store has it already, in this or a later form: nothing was written.
  case unchanged
  /// It was deleted before, and nobody asked for it back: nothing was written.
  case deletedBefore
}
