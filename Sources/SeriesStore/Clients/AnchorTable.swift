import FoundationEssentials
import HealthModel

/// The places in the history that clients know by random tokens: a number would tell a client how much it may not see.
struct AnchorTable {
  let connection: Connection

  /// The most anchors of one client; the oldest ones are dropped.
  static let limit: Int64 = 64

  /// The change that a client's token stands for.
  ///
  /// - Throws: ``StoreError/Code/lostAnchor`` for a token that it does not have, or no longer.
  func number(of anchor: ChangeAnchor, client: ClientIdentity) throws(StoreError) -> Int64 {
    if anchor == .start { return 0 }
    guard let token = anchor.token else { throw Self.lost }
    var statement = try connection.prepare(
      "SELECT number, digest FROM anchors WHERE uid = ?1 AND application = ?2 AND token = ?3")
    try statement.bind(client)
    try statement.bind(token.bytes, at: 3)
    // A file in which the change is another one was restored from a copy.
    guard try statement.step(), statement.integer(1) == (try connection.changeList.digest(of: statement.integer(0)))
    else {
      throw Self.lost
    }
    return statement.integer(0)
  }

  /// A new token of the client for a change. The oldest one is dropped, if it has too many.
  func makeToken(for number: Int64, client: ClientIdentity) throws(StoreError) -> UUID {
    guard let digest = try connection.changeList.digest(of: number) else {
      throw connection.corrupt("change \(number)")
    }
    let token = UUID()
    let ordinal = try newest(client) + 1
    try connection.insert(
      [
        .integer(Int64(client.uid)), .text(client.application), .integer(ordinal), SQLValue(token), .integer(number),
        .integer(digest),
      ], into: Schema.anchors)
    var statement = try connection.prepare("DELETE FROM anchors WHERE uid = ?1 AND application = ?2 AND ordinal <= ?3")
    try statement.bind(client)
    try statement.bind(ordinal - Self.limit, at: 3)
    try statement.run()
    return token
  }

  /// Drops a client's anchors: what it may see has changed, so it has to begin at the start.
  func delete(of client: ClientIdentity) throws(StoreError) {
    var statement = try connection.prepare("DELETE FROM anchors WHERE uid = ?1 AND application = ?2")
    try statement.bind(client)
    try statement.run()
  }

  /// The token that the client has for a change; nil if it has none.
  func token(of number: Int64, client: ClientIdentity) throws(StoreError) -> UUID? {
    var statement = try connection.prepare(
      "SELECT token FROM anchors WHERE uid = ?1 AND application = ?2 AND number = ?3 ORDER BY ordinal DESC LIMIT 1")
    try statement.bind(client)
    try statement.bind(number, at: 3)
    return try statement.step() ? UUID(bytes: statement.bytes(0)) : nil
  }

  private func newest(_ client: ClientIdentity) throws(StoreError) -> Int64 {
    var statement = try connection.prepare(
      "SELECT ifnull(max(ordinal), 0) FROM anchors WHERE uid = ?1 AND application = ?2")
    try statement.bind(client)
    return try statement.step() ? statement.integer(0) : 0
  }

  private static var lost: StoreError {
    StoreError(.lostAnchor, "the anchor is not known, or no longer; begin at the start")
  }
}
