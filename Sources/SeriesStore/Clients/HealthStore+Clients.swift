package import FoundationEssentials
package import HealthModel

/// Answers for a reader who may see a part of the store: objects outside of the reader's scope do not exist for it. The
/// same answer costs the same work, whatever else the store has. Without a scope a reader sees everything.
extension HealthStore {
  /// The samples that match; the numbers of their changes are 0.
  package func answer(_ query: SampleQuery, in scope: ReadScope?) throws(StoreError) -> [HealthSample] {
    try opened().read { (connection) throws(StoreError) in
      try SampleReader(connection: connection, scope: scope).samples(query)
    }
  }

  /// The quantities of the samples that match.
  package func answer(_ query: QuantityQuery, in scope: ReadScope?) throws(StoreError) -> QuantityList {
    try opened().read { (connection) throws(StoreError) in
      try QuantityReader(connection: connection, scope: scope).quantities(query)
    }
  }

  /// The next batch of these quantities, some ten thousand, and the position after it; nil at the end. A nil `cursor`
  /// begins.
  ///
  /// No state of the file is held between two calls: objects that are saved or deleted meanwhile may be in a later
  /// batch or not.
  package func batch(
    _ query: QuantityQuery, in scope: ReadScope?, at cursor: QuantityCursor?
  ) throws(StoreError) -> (quantities: QuantityList, next: QuantityCursor)? {
    try opened().read { (connection) throws(StoreError) in
      let reader = QuantityReader(connection: connection, scope: scope)
      let place = if let cursor { cursor } else { try reader.cursor(query) }
      return try reader.batch(query, at: place)
    }
  }

  /// The content of a sample; throws ``StoreError/Code/notFound`` if there is no such sample in the scope.
  package func answer<Content>(
    _ query: ContentQuery<Content>, in scope: ReadScope?
  ) throws(StoreError) -> Content {
    try opened().read { (connection) throws(StoreError) in
      try SampleReader(connection: connection, scope: scope).content(query)
    }
  }

  /// The statistics of the samples that match.
  ///
  /// - Throws: ``StoreError/Code/invalid`` where there would be more than `mostBuckets`.
  package func answer(
    _ query: StatisticsCollectionQuery, in scope: ReadScope?, mostBuckets: Int = CalendarBuckets.limit
  ) throws(StoreError) -> [Statistics] {
    try opened().read { (connection) throws(StoreError) in
      try StatisticsReader(connection: connection, scope: scope, mostBuckets: mostBuckets).statistics(query)
    }
  }

  /// The samples that were saved and deleted since a client's anchor, as far as the client may see them. Numbers of
  /// changes are 0, and there are no sessions. A limit counts visible changes.
  ///
  /// The new anchor is a token for that client, and the old one if the client sees nothing new.
  ///
  /// - Throws: ``StoreError/Code/lostAnchor`` for an anchor that is not this client's, that is older than the
  ///   client's last 64, or from before the owner changed the client's permissions. The client then has to begin at the
  ///   start.
  package func answer(
    _ query: ChangeQuery, of client: ClientIdentity, in scope: ReadScope
  ) throws(StoreError) -> ChangeSet {
    let found = try opened().read {
      (connection) throws(StoreError) -> (changes: ChangeSet, last: Int64, token: UUID?)? in
      let seen = try connection.anchors.number(of: query.anchor, client: client)
      guard let found = try ChangeReader(connection: connection).changes(query, after: seen, in: scope) else {
        return nil
      }
      return (found.changes, found.last, try connection.anchors.token(of: found.last, client: client))
    }
    guard let found else {
      return ChangeSet(added: [], sessions: [], deleted: [], anchor: query.anchor, hasMore: false)
    }
    var changes = found.changes
    let token = if let known = found.token { known } else { try newToken(for: found.last, client: client) }
    changes.anchor = ChangeAnchor(token: token)
    return changes
  }

  private func newToken(for number: Int64, client: ClientIdentity) throws(StoreError) -> UUID {
    try opened().write { (connection) throws(StoreError) in
      try connection.anchors.makeToken(for: number, client: client)
    }
  }

  /// The steps of SQLite's virtual machine that answers have taken since the file was opened.
  func steps() throws(StoreError) -> Int64 { try opened().connection.steps }
}

/// Answers page by page: no state of the file is held between two pages, so that a slow reader holds up no deletion.
extension HealthStore {
  /// Another connection to the same file, with a thread of its own.
  package nonisolated func openReader() throws(StoreError) -> HealthStore {
    try HealthStore.open(path, for: .reading, types: types)
  }

  /// The numbers of the samples that match, in the query's order.
  package func numbers(_ query: SampleQuery, in scope: ReadScope?) throws(StoreError) -> [Int64] {
    try opened().read { (connection) throws(StoreError) in
      try SampleReader(connection: connection, scope: scope).numbers(query)
    }
  }

  /// The samples with these numbers, in that order, a few hundred at most; those that are deleted meanwhile are left out.
  ///
  /// The reader's scope was applied when the numbers were read, and is not applied again. For a reader with a scope the
  /// numbers of changes are 0.
  package func samples(_ numbers: [Int64], in scope: ReadScope?) throws(StoreError) -> [HealthSample] {
    guard !numbers.isEmpty else { return [] }
    let places = (1...numbers.count).map { "?\($0)" }.joined(separator: ", ")
    let found = try opened().read { (connection) throws(StoreError) in
      try SampleReader(connection: connection).samples(.all, suffix: " AND sample.id IN (\(places))", numbers)
    }
    let ranks = Dictionary(zip(numbers, 0...), uniquingKeysWith: { first, _ in first })
    var samples = found.sorted { ranks[$0.change, default: 0] < ranks[$1.change, default: 0] }
    if scope != nil { for index in samples.indices { samples[index].change = 0 } }
    return samples
  }
}

/// Saving and deleting for other programs.
extension HealthStore {
  /// Saves samples of a client, all or none.
  ///
  /// - Returns: The identifiers under which the samples are in the store, in order. A sample that the client had
  ///   saved before in this or a later version has the identifier of the stored one.
  package func saveAll(_ samples: [NewSample], as source: SourceRevision) throws(StoreError) -> [UUID] {
    let ids = try opened().write { (connection) throws(StoreError) in
      try connection.samples.identifiers(saving: samples, as: source)
    }
    notifyListeners()
    return ids
  }

  /// Deletes samples by identifier, all or none.
  ///
  /// - Parameters:
  ///   - ids: The identifiers.
  ///   - source: The program whose samples may be deleted; nil for any program. The samples of other programs are not
  ///     found, and a search for them does the same work as for missing ones.
  /// - Throws: ``StoreError/Code/notFound`` where one is not found, ``StoreError/Code/invalid`` for one that belongs to a session
  ///   or is a part of another.
  package func delete(_ ids: Set<UUID>, savedBy source: String?) throws(StoreError) {
    let scope = source.map { ReadScope(source: $0) }
    let found = try answer(SampleQuery(.identifier(ids), order: []), in: scope)
    guard Set(found.map(\.id)) == ids else { throw StoreError(.notFound, "there is no such sample") }
    guard !found.isEmpty else { return }
    let file = try opened()
    try file.write { (connection) throws(StoreError) in
      for (source, samples) in Dictionary(grouping: found, by: \.source.identifier) {
        try connection.samples.delete(samples.map(\.id), as: source)
      }
    }
    defer { notifyListeners() }
    try Erasure(connection: file.connection).finish()
  }
}

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
