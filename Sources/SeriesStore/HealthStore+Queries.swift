public import FoundationEssentials
public import HealthModel

extension HealthStore {
  /// Saves samples of one source in one transaction, all or none.
  ///
  /// A sample with a sync identity that the source has saved before is stored only in a strictly greater version, and
  /// replaces the old one.
  ///
  /// - Returns: The outcome for each sample, in the order of the samples.
  /// - Throws: ``StoreError/Code/invalid`` where the identifier of a sample is already in the store, or where a
  ///   sample cannot be stored as it is. Then nothing was saved.
  @discardableResult
  public func save(_ samples: [NewSample], as source: SourceRevision) throws(StoreError) -> [CommitOutcome] {
    let outcomes = try opened().write { (connection) throws(StoreError) in
      try connection.samples.save(samples, as: source)
    }
    notifyListeners()
    return outcomes
  }

  /// Saves one sample under the rules of ``save(_:as:)``, and returns the outcome.
  @discardableResult
  public func save(_ sample: NewSample, as source: SourceRevision) throws(StoreError) -> CommitOutcome {
    // One sample has one outcome.
    try save([sample], as: source).first ?? .unchanged
  }

  /// Deletes every sample that matches the predicate and that `source` saved, all or none, like ``delete(_:as:)``.
  ///
  /// Samples of other programs, samples of sessions, and parts of correlations stay. A correlation that matches is
  /// deleted with its parts and counts as one.
  ///
  /// - Returns: The number of deleted samples.
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

  /// Deletes samples, all or none, and erases their values from the store's files; a tombstone of each stays.
  ///
  /// A correlation is deleted with its parts.
  ///
  /// - Parameters:
  ///   - samples: The identifiers of the samples.
  ///   - source: The identifier of the program that saved them.
  /// - Throws: ``StoreError/Code/notFound`` for a sample that is not in the store; ``StoreError/Code/permission`` for
  ///   a sample that another program saved; ``StoreError/Code/invalid`` for a sample of a session or a part of a
  ///   correlation, which are deleted only together with the session or the correlation. ``StoreError/Code/locked``
  ///   where the samples are deleted, but a reader keeps their bytes from being erased.
  public func delete(_ samples: [UUID], as source: String) throws(StoreError) {
    guard !samples.isEmpty else { return }
    let file = try opened()
    try file.write { (connection) throws(StoreError) in try connection.samples.delete(samples, as: source) }
    defer { notifyListeners() }
    try Erasure(connection: file.connection).finish()
  }

  /// The quantity types of which the store has or had samples, ordered by identifier.
  ///
  /// A type that this program does not know is as the file describes it; see ``HealthModel/QuantityType/isKnown``.
  public func quantityTypes() throws(StoreError) -> [QuantityType] {
    try opened().read { (connection) throws(StoreError) in try connection.types.quantityTypes() }
  }

  /// Unpacks and verifies everything in the store.
  ///
  /// Rows of metadata and the last gaps of a session are counted nowhere, so their loss is not detected.
  ///
  /// - Parameter progress: Called on the store's thread with the number of verified samples and the number of all
  ///   samples.
  /// - Returns: The damages; empty for a sound store.
  /// - Throws: ``StoreError`` where the store cannot be read at all; damages are no errors.
  public func check(
    progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(StoreError) -> [StoreDamage] {
    try examine(progress: progress).damages
  }

  /// Verifies the store like ``check(progress:)``; returns the damages, and a list of the parts that could not be
  /// verified.
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

  /// Holds one state of the file from now on, until the store is released; for a connection used by nothing else.
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

  func run<Content>(_ query: ContentQuery<Content>) throws(StoreError) -> Snapshot<Content> {
    try opened().answer { (connection) throws(StoreError) in
      try SampleReader(connection: connection).content(query)
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
  /// The workout with that identifier, with its activities, events and figures.
  ///
  /// - Throws: ``StoreError/Code/notFound`` if the store has no such workout.
  public func workout(_ id: UUID) throws(StoreError) -> Workout {
    try answer(workout: id, in: nil)
  }

  /// The workout with that identifier for a reader with a scope: figures of types that the reader may not read are left
  /// out, also in a workout that the reader saved.
  package func answer(workout id: UUID, in scope: ReadScope?) throws(StoreError) -> Workout {
    try opened().read { (connection) throws(StoreError) in
      try WorkoutReader(connection: connection, scope: scope).workout(id)
    }
  }

  /// The workouts that match a query, for a reader with a scope.
  package func answer(_ query: WorkoutQuery, in scope: ReadScope?) throws(StoreError) -> [Workout] {
    try opened().read { (connection) throws(StoreError) in
      try WorkoutReader(connection: connection, scope: scope).workouts(query)
    }
  }

  /// The identifiers of the samples that match a query, in the query's order. Nothing else of the samples is read, so
  /// this is the quickest answer.
  public func identifiers(_ query: SampleQuery) throws(StoreError) -> [UUID] {
    try opened().read { (connection) throws(StoreError) in try SampleReader(connection: connection).identifiers(query) }
  }

  func run(_ query: WorkoutQuery) throws(StoreError) -> Snapshot<[Workout]> {
    try opened().answer { (connection) throws(StoreError) in
      try WorkoutReader(connection: connection).workouts(query)
    }
  }
}
