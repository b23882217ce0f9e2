/// What a look at everything in a store has found.
package struct StoreFindings: Hashable, Sendable {
  /// What is damaged; empty for a sound store.
  package var damages: [StoreDamage] = []
  /// What damage could not show in, a line each for a person: nothing is said of that.
  package var unexamined: [String] = []

  /// Nothing found.
  package init() {}
}
