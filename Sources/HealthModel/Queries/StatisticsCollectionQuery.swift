/// The statistics of a quantity type in calendar buckets, one after the other, including empty ones.
public struct StatisticsCollectionQuery: HealthQuery {
  /// The buckets in order.
  public typealias Output = [Statistics]

  /// The quantity type.
  public let type: QuantityType
  /// The requested figures. With ``StatisticsOptions/separateBySource`` the result has each source's buckets, source by
  /// source.
  public let options: StatisticsOptions
  /// The weights of values in a temporally weighted average.
  public var policy: WeightingPolicy
  /// The division of time into buckets.
  public var buckets: Buckets
  /// A moment in the first bucket; by default the start of the first quantity.
  public var from: Timestamp?
  /// The end of the time: the last bucket contains the moment before it. By default the last bucket contains the last quantity.
  public var to: Timestamp?
  /// Selects among the samples of the type.
  public var predicate: SamplePredicate
  /// Sources by descending priority. Others follow by the start of their first sample of the type in the whole store, then
  /// by name.
  public var priority: [DataSource]

  /// A division of time.
  @nonexhaustive
  public enum Buckets: Hashable, Sendable {
    /// Buckets by the clocks of a time zone, from an anchor in both directions.
    case calendar(CalendarInterval, anchor: Timestamp, zone: TimeZoneRules)
    /// Buckets by the clocks of a time zone that begin with hours, days, Mondays, months or years; see
    /// ``CalendarBuckets/init(every:containing:in:)``.
    case natural(CalendarInterval, zone: TimeZoneRules)
    /// A single bucket, from `from` to `to`.
    case single
  }

  /// A query with the given parts. Throws if a figure is not meaningful for the type.
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

  /// Whether the change may be about a sample of the type that matches the predicate.
  public func isConcerned(by change: StoreChange) -> Bool {
    SamplePredicate.type(.quantity(type)).mayMean(change) && predicate.mayMean(change)
  }
}
