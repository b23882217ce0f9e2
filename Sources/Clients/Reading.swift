package import FoundationEssentials
package import HealthModel

/// What a connection may read of the store by the owner's decisions. Single samples that it may read stand in the store.
package struct Reading: Hashable, Sendable {
  /// Who reads.
  package var client: ClientIdentity
  /// The types that it may read; nil for an owner, who may read everything.
  package var types: Set<String>?

  package init(client: ClientIdentity, types: Set<String>?) {
    self.client = client
    self.types = types
  }

  /// The scope of its answers.
  ///
  /// - Parameter objects: The single samples that it may read.
  /// - Returns: Nil for everything.
  package func scope(objects: Set<UUID> = []) -> ReadScope? {
    types.map { ReadScope(types: $0, source: client.source, objects: objects) }
  }
}
