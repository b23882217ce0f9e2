import FoundationEssentials
package import HealthModel

/// Answers for a reader who may see only some of it: what its scope leaves out does not exist for it. The same answer costs the
/// same work, whatever else the store has. Without a scope a reader sees all.
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

  /// The next of these quantities, some ten thousand, and where to go on; nil at the end. Nil begins.
  ///
  /// Nothing is held between two calls: what is saved or deleted meanwhile is seen, or not.
  package func batch(
    _ query: QuantityQuery, in scope: ReadScope?, at cursor: QuantityCursor?
  ) throws(StoreError) -> (quantities: QuantityList, next: QuantityCursor)? {
    try opened().read { (connection) throws(StoreError) in
      let reader = QuantityReader(connection: connection, scope: scope)
      let place = if let cursor { cursor } else { try reader.cursor(query) }
      return try reader.batch(query, at: place)
    }
  }

  /// The beats of a series; ``StoreError/Code/notFound`` if there is none in the scope.
  package func answer(_ query: HeartbeatQuery, in scope: ReadScope?) throws(StoreError) -> HeartbeatSeries {
    try opened().read { (connection) throws(StoreError) in
      try SampleReader(connection: connection, scope: scope).beats(ofSample: query.sample)
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

  /// What a client sees of what was saved and deleted since its anchor. Numbers of changes are 0, and there are no sessions. A
  /// limit counts what it sees.
  ///
  /// The anchor is a token of that client's, and the same as before if it sees nothing new.
  ///
  /// - Throws: ``StoreError/Code/lostAnchor`` for an anchor that is not this client's, that is older than its last 64, or from
  ///   before the owner changed what it may read. It then begins at the start.
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
