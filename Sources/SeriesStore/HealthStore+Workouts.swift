public import FoundationEssentials
public import HealthModel

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
