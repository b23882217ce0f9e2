package import FoundationEssentials
package import HealthModel

extension HealthStore {
  /// What the owner has decided about clients, or about one of them: ordered by client, type and permission.
  package func grants(of client: ClientIdentity? = nil) throws(StoreError) -> [Grant] {
    try opened().read { (connection) throws(StoreError) in try connection.grants.all(of: client) }
  }

  /// The samples that clients, or one of them, may read object by object: ordered by client, type and object.
  package func objectGrants(of client: ClientIdentity? = nil) throws(StoreError) -> [ObjectGrant] {
    try opened().read { (connection) throws(StoreError) in try connection.grants.objects(of: client) }
  }

  /// What was decided about samples of `type`; nil if nothing was. ``HealthModel/Grant/governing(_:)`` is applied.
  package func decision(
    for client: ClientIdentity, _ permission: Permission, of type: String
  ) throws(StoreError) -> Grant.Decision? {
    try opened().read { (connection) throws(StoreError) in
      try connection.grants.decision(for: client, permission, of: Grant.governing(type))
    }
  }

  /// Records decisions, all or none. Each replaces an earlier one about the same client, type and permission.
  ///
  /// A client of which it is decided what it may read loses its anchors: it begins at the start, with what it sees now.
  package func decide(_ grants: [Grant], objects: [ObjectGrant] = []) throws(StoreError) {
    guard !grants.isEmpty || !objects.isEmpty else { return }
    try opened().write { (connection) throws(StoreError) in
      for grant in grants { try connection.grants.set(grant) }
      for object in objects { try connection.grants.set(object) }
      let readers = grants.filter { $0.permission == .read }.map(\.client) + objects.map(\.client)
      for client in Set(readers) { try connection.anchors.delete(of: client) }
    }
  }

  /// Lets a client read single samples of a type from now on, and others no more, all or none. It loses its anchors.
  ///
  /// - Throws: ``StoreError/Code/notFound`` for one to be allowed that is not a sample of the type.
  package func decide(_ choice: ObjectChoice) throws(StoreError) {
    try opened().write { (connection) throws(StoreError) in
      for object in choice.allowed {
        guard let number = try connection.samples.number(of: object),
          try connection.samples.row(number)?.type.identifier == choice.type
        else { throw StoreError(.notFound, "there is no \(choice.type) \(object.uuidString.lowercased())") }
        try connection.grants.set(
          ObjectGrant(client: choice.client, type: choice.type, object: object, decided: choice.decided))
      }
      for object in choice.denied {
        try connection.grants.remove(object, type: choice.type, of: choice.client)
      }
      try connection.anchors.delete(of: choice.client)
    }
  }

  /// Whether there is a sample that a reader may see: its own, one of a type that it may read, or one that it may read by itself. What
  /// belongs to a sample is seen where this says so, and does not exist elsewhere.
  package func isVisible(_ sample: UUID, in scope: ReadScope?) throws(StoreError) -> Bool {
    try opened().read { (connection) throws(StoreError) in
      try !SampleReader(connection: connection, scope: scope).numbers(SampleQuery(.identifier([sample]))).isEmpty
    }
  }

  /// Removes decisions about a client, as if they had never been made: all of them, or those about one type, one permission
  /// or both. Objects of the type that it may read go with `read`. Returns the number of decisions and objects removed.
  @discardableResult
  package func revoke(
    _ client: ClientIdentity, type: String? = nil, permission: Permission? = nil
  ) throws(StoreError) -> Int {
    try opened().write { (connection) throws(StoreError) in
      let count = try connection.grants.remove(client, type: type.map(Grant.governing), permission: permission)
      if permission != .share { try connection.anchors.delete(of: client) }
      return count
    }
  }

  /// Removes decisions about a client, all or none: those about these types, or every one where none is named.
  ///
  /// - Returns: How many decisions and objects there were.
  package func revoke(_ client: ClientIdentity, share: [String], read: [String]) throws(StoreError) -> Int {
    guard !share.isEmpty || !read.isEmpty else { return try revoke(client) }
    return try opened().write { (connection) throws(StoreError) in
      var count = 0
      for type in share.map(Grant.governing) {
        count += try connection.grants.remove(client, type: type, permission: .share)
      }
      for type in read.map(Grant.governing) {
        count += try connection.grants.remove(client, type: type, permission: .read)
      }
      if !read.isEmpty { try connection.anchors.delete(of: client) }
      return count
    }
  }
}
