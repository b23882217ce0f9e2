public import FoundationEssentials
public import HealthModel

extension HealthStore {
  /// Saves samples of one source, all or none.
  ///
  /// A sample with a sync identity that the source has saved before is stored only in a strictly greater version, and
  /// replaces the old one. The outcomes, in the order of the samples, say what happened. An identifier that is already in
  /// the store is an error (``StoreError/Code/invalid``).
  @discardableResult
  public func save(_ samples: [NewSample], as source: SourceRevision) throws(StoreError) -> [CommitOutcome] {
    let outcomes = try opened().write { (connection) throws(StoreError) in
      try connection.samples.save(samples, as: source)
    }
    notifyListeners()
    return outcomes
  }

  /// Saves one sample; see ``save(_:as:)``.
  @discardableResult
  public func save(_ sample: NewSample, as source: SourceRevision) throws(StoreError) -> CommitOutcome {
    // One sample has one outcome.
    try save([sample], as: source).first ?? .unchanged
  }

  /// Deletes every sample that matches the predicate and that `source` saved, all or none, like ``delete(_:as:)``. Returns
  /// their number. Samples of other programs, of sessions, and parts of correlations stay. A correlation that matches is
  /// deleted with its parts and counts as one.
  @discardableResult
  public func delete(_ predicate: SamplePredicate, as source: String) throws(StoreError) -> Int {
    let file = try opened()
    let count = try file.write { (connection) throws(StoreError) in
      try connection.samples.delete(predicate, as: source)
    }
    guard count > 0 else { return 0 }
    defer { notifyListeners() }
    try Erasure(connection: file.connection).finish()
    return count
  }

  /// Deletes samples, all or none, so that none of their values is left in the store's files; tombstones stay.
  ///
  /// Only the program that saved a sample may delete it (``StoreError/Code/permission``). Samples of a session and parts of
  /// a correlation are deleted only together with it (``StoreError/Code/invalid``). A correlation is deleted with its
  /// parts.
  public func delete(_ samples: [UUID], as source: String) throws(StoreError) {
    guard !samples.isEmpty else { return }
    let file = try opened()
    try file.write { (connection) throws(StoreError) in try connection.samples.delete(samples, as: source) }
    defer { notifyListeners() }
    try Erasure(connection: file.connection).finish()
  }

  /// The quantity types of which the store has or had samples, ordered by identifier.
  ///
  /// Those of other programs are as the file describes them; see ``HealthModel/QuantityType/isKnown``.
  public func quantityTypes() throws(StoreError) -> [QuantityType] {
    try opened().read { (connection) throws(StoreError) in try connection.types.quantityTypes() }
  }

  /// Unpacks everything and verifies it. Returns what is damaged; empty for a sound store. Metadata, and the last gaps
  /// of a session, are counted nowhere: if all of them are gone, it cannot tell.
  ///
  /// `progress` is called on the store's thread with the number of samples done and their total.
  public func check(
    progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(StoreError) -> [StoreDamage] {
    try examine(progress: progress).damages
  }

  /// The same, and what could not be looked at.
  package func examine(
    progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(StoreError) -> StoreFindings {
    let file = try opened()
    return try file.read { (connection) throws(StoreError) in
      var check = StoreCheck(connection: connection)
      return try check.run(
        attachments: { () throws(StoreError) in try file.attachmentFolder() }, progress)
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

  /// Keeps one state of the file from now on, until the store is released; for a connection used by nothing else.
  func holdState(for query: QuantityQuery) throws(StoreError) -> QuantityCursor {
    let file = try opened()
    try file.connection.execute("BEGIN")
    try file.checkReadable()
    return try QuantityReader(connection: file.connection).cursor(query)
  }

  func batch(_ query: QuantityQuery, at cursor: QuantityCursor) throws(StoreError) -> (QuantityList, QuantityCursor)? {
    let connection = try opened().connection
    connection.budget.begin()
    return try QuantityReader(connection: connection).batch(query, at: cursor)
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

extension WorkoutQuery: StoreQuery {
  /// The workouts now; see ``StoreQuery/result(for:)``.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<[Workout]> {
    try await store.run(self)
  }
}

extension HealthStore {
  /// The workout with that identifier, with its activities, events and figures; ``StoreError/Code/notFound`` if there is none.
  public func workout(_ id: UUID) throws(StoreError) -> Workout {
    try answer(workout: id, in: nil)
  }

  /// The same for a reader who may see only some of it: figures of types that it may not read are left out, also of a workout that
  /// it saved itself.
  package func answer(workout id: UUID, in scope: ReadScope?) throws(StoreError) -> Workout {
    try opened().read { (connection) throws(StoreError) in
      try WorkoutReader(connection: connection, scope: scope).workout(id)
    }
  }

  /// The workouts that match, for such a reader.
  package func answer(_ query: WorkoutQuery, in scope: ReadScope?) throws(StoreError) -> [Workout] {
    try opened().read { (connection) throws(StoreError) in
      try WorkoutReader(connection: connection, scope: scope).workouts(query)
    }
  }

  /// The identifiers of the samples that match, in the query's order, and nothing else of them: the quickest answer.
  public func identifiers(_ query: SampleQuery) throws(StoreError) -> [UUID] {
    try opened().read { (connection) throws(StoreError) in try SampleReader(connection: connection).identifiers(query) }
  }

  func run(_ query: WorkoutQuery) throws(StoreError) -> Snapshot<[Workout]> {
    try opened().answer { (connection) throws(StoreError) in
      try WorkoutReader(connection: connection).workouts(query)
    }
  }
}
