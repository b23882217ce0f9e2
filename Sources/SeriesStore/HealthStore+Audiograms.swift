public import HealthModel

extension AudiogramQuery: StoreQuery {
  /// The audiogram now; see ``StoreQuery/result(for:)``. Throws ``StoreError/Code/notFound`` if it is not in the store.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<Audiogram> {
    try await store.run(self)
  }
}

extension HealthStore {
  /// The points of an audiogram; ``StoreError/Code/notFound`` if there is none in the scope.
  package func answer(_ query: AudiogramQuery, in scope: ReadScope?) throws(StoreError) -> Audiogram {
    try opened().read { (connection) throws(StoreError) in
      try SampleReader(connection: connection, scope: scope).audiogram(query.audiogram)
    }
  }

  func run(_ query: AudiogramQuery) throws(StoreError) -> Snapshot<Audiogram> {
    try opened().answer { (connection) throws(StoreError) in
      try SampleReader(connection: connection).audiogram(query.audiogram)
    }
  }
}
