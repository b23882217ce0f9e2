import FoundationEssentials
import HealthModel

/// What the owner has decided about clients, and the single samples that they may read.
///
/// A row that is not as it was written is an error: a flipped bit must not let another program in.
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

  /// Records a decision about a type, or about the one that governs it. A refusal to read ends what was granted object by object.
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

  /// The client in the first two columns of a row; nil if they name none.
  var client: ClientIdentity? {
    UInt32(exactly: integer(0)).flatMap { uid in text(1).map { ClientIdentity(uid: uid, application: $0) } }
  }
}
