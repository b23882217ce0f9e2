package import FoundationEssentials
package import HealthModel

/// What a connection may read of the store by the owner's decisions.
package struct Reading: Hashable, Sendable {
  /// Who reads.
  package var client: ClientIdentity
  /// The types that it may read; nil for an owner, who may read everything.
  package var types: Set<String>?

  /// The single samples that it may read besides.
  package var objects: Set<UUID>

  package init(client: ClientIdentity, types: Set<String>?, objects: Set<UUID> = []) {
    self.client = client
    self.types = types
    self.objects = objects
  }

  /// The scope of its answers; nil for everything.
  package var scope: ReadScope? {
    types.map { ReadScope(types: $0, source: client.source, objects: objects) }
  }
}
