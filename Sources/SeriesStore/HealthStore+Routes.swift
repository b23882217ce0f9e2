public import HealthModel

extension WorkoutRouteQuery: StoreQuery {
  /// The locations now; see ``StoreQuery/result(for:)``. Throws ``StoreError/Code/notFound`` if the route is not in the store.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<[RouteLocation]> {
    try await store.run(self)
  }
}

extension HealthStore {
  /// The locations of a route; ``StoreError/Code/notFound`` if there is none in the scope.
  package func answer(_ query: WorkoutRouteQuery, in scope: ReadScope?) throws(StoreError) -> [RouteLocation] {
    try opened().read { (connection) throws(StoreError) in
      try SampleReader(connection: connection, scope: scope).locations(ofRoute: query.route)
    }
  }

  func run(_ query: WorkoutRouteQuery) throws(StoreError) -> Snapshot<[RouteLocation]> {
    try opened().answer { (connection) throws(StoreError) in
      try SampleReader(connection: connection).locations(ofRoute: query.route)
    }
  }
}
