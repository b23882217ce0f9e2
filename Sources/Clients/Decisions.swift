package import HealthModel

/// What the owner has decided about clients: in the store, or in advance in the configuration, which the store overrules.
package struct Decisions: Hashable, Sendable {
  struct Key: Hashable {
    var client: ClientIdentity
    var type: String
    var permission: Permission

    init(_ client: ClientIdentity, _ permission: Permission, _ type: String) {
      self.client = client
      self.type = Grant.governing(type)
      self.permission = permission
    }
  }

  /// Those of the configuration, which are never forgotten.
  package let inAdvance: [Grant]
  /// Those of the store.
  package private(set) var stored: [Grant] = []
  private var byKey: [Key: Grant.Decision] = [:]

  package init(inAdvance: [Grant] = []) {
    self.inAdvance = inAdvance
    replaceStored(with: [])
  }

  /// The store's decisions have been read anew.
  package mutating func replaceStored(with grants: [Grant]) {
    stored = grants
    byKey = [:]
    for grant in inAdvance + grants { byKey[Key(grant.client, grant.permission, grant.type)] = grant.decision }
  }

  /// The types that a client may read.
  func readableTypes(of client: ClientIdentity) -> Set<String> {
    var types: Set<String> = []
    for (key, decision) in byKey where key.client == client && key.permission == .read && decision == .allowed {
      types.formUnion(Grant.governed(by: key.type))
    }
    return types
  }

  /// What was decided; nil where nothing was.
  func decision(for client: ClientIdentity, _ permission: Permission, of type: String) -> Grant.Decision? {
    byKey[Key(client, permission, type)]
  }
}
