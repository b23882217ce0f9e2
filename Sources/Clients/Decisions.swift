import FoundationEssentials
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
  /// The single samples that clients may read.
  package private(set) var objects: [ObjectGrant] = []
  private var objectsOfClient: [ClientIdentity: Set<UUID>] = [:]
  private var byKey: [Key: Grant.Decision] = [:]

  package init(inAdvance: [Grant] = []) {
    self.inAdvance = inAdvance
    replaceStored(with: [])
  }

  /// The store's decisions have been read anew.
  package mutating func replaceStored(with grants: [Grant], objects: [ObjectGrant] = []) {
    stored = grants
    self.objects = objects
    objectsOfClient = Dictionary(grouping: objects, by: \.client).mapValues { Set($0.map(\.object)) }
    byKey = [:]
    for grant in inAdvance + grants { byKey[Key(grant.client, grant.permission, grant.type)] = grant.decision }
  }

  /// The single samples that a client may read.
  func readableObjects(of client: ClientIdentity) -> Set<UUID> { objectsOfClient[client] ?? [] }

  /// The types that a client may read as a whole. One that is granted sample by sample is not among them, whatever a file says.
  func readableTypes(of client: ClientIdentity) -> Set<String> {
    var types: Set<String> = []
    for (key, decision) in byKey where key.client == client && key.permission == .read && decision == .allowed {
      types.formUnion(Grant.governed(by: key.type).filter { !Grant.isByObject($0) })
    }
    return types
  }

  /// What was decided; nil where nothing was.
  func decision(for client: ClientIdentity, _ permission: Permission, of type: String) -> Grant.Decision? {
    byKey[Key(client, permission, type)]
  }
}
