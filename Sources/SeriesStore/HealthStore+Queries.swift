public import FoundationEssentials
public import HealthModel

extension HealthStore {
  /// Saves samples of one source, all or nothing.
  ///
  /// A sample with a sync identity that the source saved before is stored again only in a strictly greater version, in the
  /// place of the old one; the outcomes say so, in the order of the samples. An identifier that is in the store already
  /// is an error (``StoreError/Code/invalid``).
  @discardableResult
  public func save(_ samples: [NewSample], as source: SourceRevision) throws(StoreError) -> [CommitOutcome] {
    let outcomes = try opened().write { (connection) throws(StoreError) in
      try connection.samples.save(samples, as: source)
    }
    tellListeners()
    return outcomes
  }

  /// Saves one sample; see ``save(_:as:)``.
  @discardableResult
  public func save(_ sample: NewSample, as source: SourceRevision) throws(StoreError) -> CommitOutcome {
    // One sample has one outcome.
    try save([sample], as: source).first ?? .unchanged
  }

  /// Deletes every sample that the predicate means and `source` saved, all or nothing, as ``delete(_:as:)`` does: how
  /// many they were. What other programs saved, what belongs to a session and what is a part of a correlation stays; a
  /// correlation that is meant takes its parts along, and counts as one.
  @discardableResult
  public func delete(_ predicate: SamplePredicate, as source: String) throws(StoreError) -> Int {
    let file = try opened()
    let count = try file.write { (connection) throws(StoreError) in
      try connection.samples.delete(predicate, as: source)
    }
    guard count > 0 else { return 0 }
    defer { tellListeners() }
    try Erasure(connection: file.connection).finish()
    return count
  }

  /// Deletes samples, all or nothing, so that none of their values is left in the store's files; tombstones stay.
  ///
  /// Only the program that saved a sample may delete it (``StoreError/Code/permission``), and what belongs to a session or is
  /// a part of a correlation goes only with that (``StoreError/Code/invalid``). A correlation takes its parts along.
  public func delete(_ samples: [UUID], as source: String) throws(StoreError) {
    guard !samples.isEmpty else { return }
    let file = try opened()
    try file.write { (connection) throws(StoreError) in try connection.samples.delete(samples, as: source) }
    defer { tellListeners() }
    try Erasure(connection: file.connection).finish()
  }

  /// The quantity types of which the store has, or had, samples, in the order of their identifiers.
  ///
  /// Those of other programs are as the file describes them; see ``HealthModel/QuantityType/isKnown``.
  public func quantityTypes() throws(StoreError) -> [QuantityType] {
    try opened().read { (connection) throws(StoreError) in try connection.types.quantityTypes() }
  }

  /// Unpacks everything and compares it with what is said about it; names what is damaged, and is empty for a sound store. What
  /// nothing counts may be gone as a whole without a trace: metadata, and the last gaps of a session.
  ///
  /// `progress` hears, on the store's thread, how many samples of how many are done.
  public func check(
    progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(StoreError) -> [StoreDamage] {
    try examine(progress: progress).damages
  }

  /// The same, and what could not be looked at.
  package func examine(
    progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(StoreError) -> StoreFindings {
    try opened().read { (connection) throws(StoreError) in
      var check = StoreCheck(connection: connection)
      return try check.run(progress)
    }
  }

  func run(_ query: SampleQuery) throws(StoreError) -> Snapshot<[HealthSample]> {
    try opened().answer { (connection) throws(StoreError) in
      try SampleReader(connection: connection).samples(query)
    }
  }

  func run(_ query: StatisticsCollectionQuery) throws(StoreError) -> Snapshot<[Statistics]> {
    try opened().answer { (connection) throws(StoreError) in
      try StatisticsReader(connection: connection).statistics(query)
    }
  }

  func run(_ query: QuantityQuery) throws(StoreError) -> Snapshot<QuantityList> {
    try opened().answer { (connection) throws(StoreError) in
      try QuantityReader(connection: connection).quantities(query)
    }
  }

  /// Keeps to one state of the file from now on, until the store is gone; for a connection that nothing else uses.
  func holdState(for query: QuantityQuery) throws(StoreError) -> QuantityCursor {
    let file = try opened()
    try file.connection.execute("BEGIN")
    try file.checkReadable()
    return try QuantityReader(connection: file.connection).cursor(query)
  }

  func batch(_ query: QuantityQuery, at cursor: QuantityCursor) throws(StoreError) -> (QuantityList, QuantityCursor)? {
    try QuantityReader(connection: opened().connection).batch(query, at: cursor)
  }

  func run(_ query: HeartbeatQuery) throws(StoreError) -> Snapshot<HeartbeatSeries> {
    try opened().answer { (connection) throws(StoreError) in
      try SampleReader(connection: connection).beats(ofSample: query.sample)
    }
  }

  func run(_ query: ChangeQuery) throws(StoreError) -> Snapshot<ChangeSet> {
    let changes = try opened().read { (connection) throws(StoreError) in
      try ChangeReader(connection: connection).changes(query)
    }
    return Snapshot(value: changes, change: changes.anchor.place?.number ?? 0)
  }
}
