/// What one connection has of the store at the moment: running queries, and changes that it is told of.
struct StoreUse {
  /// Queries whose answers are being sent.
  var queries: Set<UInt64> = []
  /// The types whose changes it is told of; nil for none.
  var observed: Set<String>?
  /// How often it was told since it began to observe.
  var changes: UInt64 = 0
}
