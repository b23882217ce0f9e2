public import HealthModel

/// A query that a store answers: once, or again after every change.
public protocol StoreQuery: HealthQuery {
  /// Answers the query from one unchanging state of the file.
  @concurrent func result(for store: HealthStore) async throws(StoreError) -> Snapshot<Output>
}

extension StoreQuery {
  /// The present answer, and another one after every change that concerns the query, until the loop is left.
  ///
  /// A reader that is slower than the changes misses intermediate answers about the present state, but never the last one.
  /// The answers to a `ChangeQuery` have each change exactly once.
  public func results(for store: HealthStore) -> LiveResults<Self> {
    LiveResults(query: self, store: store)
  }
}

extension SampleQuery: StoreQuery {
  /// The samples now; see ``StoreQuery/result(for:)``.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<[HealthSample]> {
    try await store.run(self)
  }
}

extension QuantityQuery: StoreQuery {
  /// The quantities now; see ``StoreQuery/result(for:)``.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<QuantityList> {
    try await store.run(self)
  }
}

extension HeartbeatQuery: StoreQuery {
  /// The beats now; see ``StoreQuery/result(for:)``. Throws ``StoreError/Code/notFound`` if the series is not in the store.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<HeartbeatSeries> {
    try await store.run(self)
  }
}

extension StatisticsCollectionQuery: StoreQuery {
  /// The statistics now; see ``StoreQuery/result(for:)``.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<[Statistics]> {
    try await store.run(self)
  }
}

extension ChangeQuery: StoreQuery {
  /// The changes now; see ``StoreQuery/result(for:)``.
  ///
  /// - Throws: ``StoreError/Code/foreignAnchor`` and ``StoreError/Code/lostAnchor`` for an anchor that is not of this
  ///   store's history. What the caller knows of the store is then invalid, and it has to begin at the start.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<ChangeSet> {
    try await store.run(self)
  }
}
