public import FoundationEssentials
public import HealthModel

/// The beats of one heartbeat series; throws ``StoreError/Code/notFound`` if it is not in the store.
public struct HeartbeatQuery: HealthQuery {
  /// The sample's identifier, not its session's.
  public let sample: UUID

  /// Asks for the beats of that sample.
  public init(_ sample: UUID) {
    self.sample = sample
  }

  /// The answer now; see ``HealthQuery/result(for:)``.
  public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<HeartbeatSeries> {
    try await store.run(self)
  }

  /// Whether the change is about beats.
  public func isConcerned(by change: StoreChange) -> Bool {
    SamplePredicate.type(.heartbeatSeries).mayMean(change)
  }
}
