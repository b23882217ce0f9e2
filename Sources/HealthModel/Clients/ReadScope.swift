package import FoundationEssentials

/// What one reader may see: all samples of some types, what it saved itself, and single samples.
///
/// For the reader nothing else exists. Whoever answers does the same work, and gives the same answer, whether there are other
/// samples or not. Recording sessions are in no scope; their samples are.
package struct ReadScope: Hashable, Sendable {
  /// The identifiers of types whose samples it may read, whoever saved them.
  package var types: Set<String>
  /// The identifier of its own source, whose samples it may read whatever their type; nil if it has none.
  package var source: String?
  /// The identifiers of samples that it may read one by one.
  package var objects: Set<UUID>

  /// A scope with the given parts; nothing by default.
  package init(types: Set<String> = [], source: String? = nil, objects: Set<UUID> = []) {
    self.types = types
    self.source = source
    self.objects = objects
  }

  /// Whether the type or the source of a change lets the reader see it, or the object where reading is granted one by one.
  package func includes(_ change: StoreChange) -> Bool {
    guard let type = change.type, type != .session else { return false }
    return types.contains(type.identifier) || source != nil && change.source == source
      || change.object.map(objects.contains) ?? false
  }

  /// The scope without the types that the predicate rules out: so nobody looks for their samples.
  package func narrowed(to predicate: SamplePredicate) -> ReadScope {
    var scope = self
    scope.types = types.filter { predicate.mayMean(typeIdentifier: $0) }
    return scope
  }
}
