/// What became of an object that was handed to the store.
public enum CommitOutcome: String, Hashable, Sendable, CaseIterable {
  /// It is new and stored.
  case stored
  /// An earlier save with a smaller sync version gave way to it.
  case replaced
  /// The store has it already, with the same or a greater sync version: nothing was written.
  case unchanged
  /// It was deleted before, and nobody asked for it back: nothing was written.
  case deletedBefore
}
