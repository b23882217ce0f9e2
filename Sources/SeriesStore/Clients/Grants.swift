package import FoundationEssentials
package import HealthModel

extension HealthStore {
  /// The owner's decisions about all clients, or about one of them, ordered by client, type and permission.
  package func grants(of client: ClientIdentity? = nil) throws(StoreError) -> [Grant] {
    try opened().read { (connection) throws(StoreError) in try connection.grants.all(of: client) }
  }

  /// The samples that all clients, or one of them, may read object by object, ordered by client, type and object.
  package func objectGrants(of client: ClientIdentity? = nil) throws(StoreError) -> [ObjectGrant] {
    try opened().read { (connection) throws(StoreError) in try connection.grants.objects(of: client) }
  }

  /// The owner's decision about samples of `type`, or of the type that governs it
  /// (``HealthModel/Grant/governing(_:)``); nil if the owner has not decided.
  package func decision(
    for client: ClientIdentity, _ permission: Permission, of type: String
  ) throws(StoreError) -> Grant.Decision? {
    try opened().read { (connection) throws(StoreError) in
      try connection.grants.decision(for: client, permission, of: Grant.governing(type))
    }
  }

  /// Records decisions, all or none. Each replaces an earlier one about the same client, type and permission.
  ///
  /// A client about whose reading the owner decides loses its anchors: it begins at the start, with the samples that it
  /// sees now.
  package func decide(_ grants: [Grant], objects: [ObjectGrant] = []) throws(StoreError) {
    guard !grants.isEmpty || !objects.isEmpty else { return }
    try opened().write { (connection) throws(StoreError) in
      for grant in grants { try connection.grants.set(grant) }
      for object in objects { try connection.grants.set(object) }
      let readers = grants.filter { $0.permission == .read }.map(\.client) + objects.map(\.client)
      for client in Set(readers) { try connection.anchors.delete(of: client) }
    }
  }

  /// Permits a client to read some single samples of a type from now on, and forbids others, all or none. The client
  /// loses its anchors.
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

  /// Whether there is a sample of that identifier which a reader may see: the reader's own one, one of a type that it
  /// may read, or one that it may read as a single object. Attachments and other parts of a sample are visible if the
  /// sample is.
  package func isVisible(_ sample: UUID, in scope: ReadScope?) throws(StoreError) -> Bool {
    try opened().read { (connection) throws(StoreError) in
      try !SampleReader(connection: connection, scope: scope).numbers(SampleQuery(.identifier([sample]))).isEmpty
    }
  }

  /// Removes decisions about a client, as if they had never been made: all of them, or those about one type, one
  /// permission or both. With the permission `read`, the single objects that the client may read are removed too.
  /// Returns the number of decisions and objects removed.
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
  /// - Returns: The number of decisions and objects removed.
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

/// The owner's decisions about clients, and the single samples that clients may read.
///
/// A row that is not as it was written is an error: a flipped bit must not give a program access.
struct GrantTable {
  let connection: Connection

  func all(of client: ClientIdentity?) throws(StoreError) -> [Grant] {
    var statement = try connection.prepare(
      """
      SELECT uid, application, type, permission, decision, time, \(Self.isSound(Schema.grants)) FROM grants
      \(client == nil ? "" : "WHERE uid = ?1 AND application = ?2") ORDER BY uid, application, type, permission
      """)
    if let client { try statement.bind(client) }
    var grants: [Grant] = []
    while try statement.step() {
      guard let client = statement.client, let permission = Permission(rawValue: statement.text(3) ?? ""),
        let decision = Grant.Decision(rawValue: statement.text(4) ?? ""), statement.integer(6) != 0
      else { throw connection.corrupt("the grants") }
      grants.append(
        Grant(
          client: client, type: statement.text(2) ?? "", permission: permission, decision: decision,
          decided: Timestamp(microseconds: statement.integer(5))))
    }
    return grants
  }

  func objects(of client: ClientIdentity?) throws(StoreError) -> [ObjectGrant] {
    var statement = try connection.prepare(
      """
      SELECT uid, application, type, object, time, \(Self.isSound(Schema.objectGrants)) FROM object_grants
      \(client == nil ? "" : "WHERE uid = ?1 AND application = ?2") ORDER BY uid, application, type, object
      """)
    if let client { try statement.bind(client) }
    var grants: [ObjectGrant] = []
    while try statement.step() {
      guard let client = statement.client, let object = UUID(bytes: statement.bytes(3)), statement.integer(5) != 0
      else {
        throw connection.corrupt("the grants")
      }
      grants.append(
        ObjectGrant(
          client: client, type: statement.text(2) ?? "", object: object,
          decided: Timestamp(microseconds: statement.integer(4))))
    }
    return grants
  }

  func decision(
    for client: ClientIdentity, _ permission: Permission, of type: String
  ) throws(StoreError) -> Grant.Decision? {
    var statement = try connection.prepare(
      """
      SELECT decision, \(Self.isSound(Schema.grants)) FROM grants
      WHERE uid = ?1 AND application = ?2 AND type = ?3 AND permission = ?4
      """)
    try statement.bind(client)
    try statement.bind(type, at: 3)
    try statement.bind(permission.rawValue, at: 4)
    guard try statement.step() else { return nil }
    guard let decision = Grant.Decision(rawValue: statement.text(0) ?? ""), statement.integer(1) != 0 else {
      throw connection.corrupt("the grants")
    }
    return decision
  }

  private static func isSound(_ table: Table) -> String {
    "\(Table.checksum) IS \(RowChecksum.name)(\(table.columns.joined(separator: ", ")))"
  }

  /// Records a decision about a type, or about the one that governs it. A refusal to read removes the single objects
  /// that were granted.
  func set(_ grant: Grant) throws(StoreError) {
    let type = Grant.governing(grant.type)
    _ = try remove(grant.client, from: "grants", type: type, permission: grant.permission)
    if grant.permission == .read, grant.decision == .denied {
      _ = try remove(grant.client, from: "object_grants", type: type, permission: nil)
    }
    try connection.insert(
      [
        .integer(Int64(grant.client.uid)), .text(grant.client.application), .text(type),
        .text(grant.permission.rawValue), .text(grant.decision.rawValue), SQLValue(grant.decided),
      ], into: Schema.grants)
  }

  func set(_ grant: ObjectGrant) throws(StoreError) {
    try remove(grant.object, type: grant.type, of: grant.client)
    try connection.insert(
      [
        .integer(Int64(grant.client.uid)), .text(grant.client.application), .text(grant.type), SQLValue(grant.object),
        SQLValue(grant.decided),
      ], into: Schema.objectGrants)
  }

  func remove(_ object: UUID, type: String, of client: ClientIdentity) throws(StoreError) {
    var statement = try connection.prepare(
      "DELETE FROM object_grants WHERE uid = ?1 AND application = ?2 AND type = ?3 AND object = ?4")
    try statement.bind(client)
    try statement.bind(type, at: 3)
    try statement.bind(object.bytes, at: 4)
    try statement.run()
  }

  func remove(
    _ client: ClientIdentity, type: String?, permission: Permission?
  ) throws(StoreError) -> Int {
    var count = try remove(client, from: "grants", type: type, permission: permission)
    if permission != .share { count += try remove(client, from: "object_grants", type: type, permission: nil) }
    return count
  }

  private func remove(
    _ client: ClientIdentity, from table: String, type: String?, permission: Permission?
  ) throws(StoreError) -> Int {
    var statement = try connection.prepare(
      """
      DELETE FROM \(table) WHERE uid = ?1 AND application = ?2\(type == nil ? "" : " AND type = ?3")
        \(permission == nil ? "" : " AND permission = ?4")
      """)
    try statement.bind(client)
    if let type { try statement.bind(type, at: 3) }
    if let permission { try statement.bind(permission.rawValue, at: 4) }
    try statement.run()
    return connection.changes
  }
}

extension Statement {
  /// Binds the user as ?1 and the application as ?2.
  mutating func bind(_ client: ClientIdentity) throws(StoreError) {
    try bind(Int64(client.uid), at: 1)
    try bind(client.application, at: 2)
  }

  /// The client in the first two columns of a row; nil if they do not name a client.
  var client: ClientIdentity? {
    UInt32(exactly: integer(0)).flatMap { uid in text(1).map { ClientIdentity(uid: uid, application: $0) } }
  }
}
