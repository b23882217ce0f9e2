public import FoundationEssentials

/// The beats of one heartbeat series; `StoreError.Code.notFound` if it is not in the store.
public struct HeartbeatQuery: HealthQuery {
  /// The beats.
  public typealias Output = HeartbeatSeries

  /// The sample's identifier, not its session's.
  public let sample: UUID

  /// Asks for the beats of that sample.
  public init(_ sample: UUID) {
    self.sample = sample
  }

  /// Whether the change is about beats.
  public func isConcerned(by change: StoreChange) -> Bool {
    SamplePredicate.type(.heartbeatSeries).mayMean(change)
  }
}
