public import HealthModel

/// The statistics of a quantity type in buckets of the calendar: one stretch after the other, empty ones included.
public struct StatisticsCollectionQuery: HealthQuery {
  /// What is measured, in which unit.
  public let type: QuantityType
  /// With ``StatisticsOptions/separateBySource``, each source's buckets follow each other, source by source.
  public let options: StatisticsOptions
  /// How a temporally weighted average weighs.
  public var policy: WeightingPolicy
  /// How the buckets are laid.
  public var buckets: Buckets
  /// From the bucket that holds this moment, by default the first quantity's …
  public var from: Timestamp?
  /// … to the one that holds the moment before this, by default after the last quantity.
  public var to: Timestamp?
  /// Which samples count beside being of the type.
  public var predicate: SamplePredicate
  /// Sources from the highest priority down; those that are not named follow by the start of their first sample of the
  /// type in the whole store, then by name.
  public var priority: [DataSource]

  /// How time is divided.
  @nonexhaustive
  public enum Buckets: Hashable, Sendable {
    /// By the clocks of a zone, from an anchor in both directions.
    case calendar(CalendarInterval, anchor: Timestamp, zone: TimeZoneRules)
    /// By the clocks of a zone, at the beginnings that a person expects; see
    /// ``HealthModel/CalendarBuckets/init(every:containing:in:)``.
    case natural(CalendarInterval, zone: TimeZoneRules)
    /// One, from `from` to `to`.
    case single
  }

  /// Throws where a figure does not go with the type.
  public init(
    _ type: QuantityType, _ options: StatisticsOptions? = nil, buckets: Buckets, from: Timestamp? = nil,
    to: Timestamp? = nil, policy: WeightingPolicy = .ownDuration, predicate: SamplePredicate = .all,
    priority: [DataSource] = []
  ) throws(StatisticsError) {
    self.type = type
    self.options = options ?? .all(for: type)
    try self.options.validate(for: type)
    self.buckets = buckets
    self.from = from
    self.to = to
    self.policy = policy
    self.predicate = predicate
    self.priority = priority
  }

  /// The answer now; see ``HealthQuery/result(for:)``.
  public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<[Statistics]> {
    try await store.run(self)
  }

  /// Whether it may be about a sample of the type that the predicate means.
  public func isConcerned(by change: StoreChange) -> Bool {
    SamplePredicate.type(.quantity(type)).mayMean(change) && predicate.mayMean(change)
  }
}
