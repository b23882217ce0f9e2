/// Samples by predicate, with order and limit: everything except their values.
public struct SampleQuery: HealthQuery {
  /// The samples, in that order.
  public typealias Output = [HealthSample]

  /// Selects the samples.
  public var predicate: SamplePredicate
  /// Sort criteria, the first one first; samples that are equal by all of them are in the order of saving.
  public var order: [Order]
  /// The most samples in the answer; nil for all.
  public var limit: Int?

  /// A sort criterion.
  public struct Order: Hashable, Sendable {
    /// The key to sort by.
    public var key: Key
    /// Whether the greatest is first.
    public var isDescending: Bool

    /// The keys by which samples can be sorted. A later version may have more.
    @nonexhaustive
    public enum Key: String, Hashable, Sendable, CaseIterable {
      /// The start of the sample.
      case start
      /// The end of the sample.
      case end
      /// The number of quantities or beats.
      case count
      /// The order of saving.
      case change
    }

    /// A criterion; ascending by default.
    public init(_ key: Key, isDescending: Bool = false) {
      self.key = key
      self.isDescending = isDescending
    }
  }

  /// A query with the given parts.
  public init(_ predicate: SamplePredicate = .all, order: [Order] = [Order(.start)], limit: Int? = nil) {
    self.predicate = predicate
    self.order = order
    self.limit = limit
  }

  /// Whether the change may be about a sample that matches the predicate.
  public func isConcerned(by change: StoreChange) -> Bool { predicate.mayMean(change) }
}

/// Workouts by predicate, with order and limit: with their activities, events and figures.
public struct WorkoutQuery: HealthQuery {
  /// The workouts, in that order.
  public typealias Output = [Workout]

  /// Selects among the workouts.
  public var predicate: SamplePredicate
  /// Sort criteria, the first one first; workouts that are equal by all of them are in the order of saving.
  public var order: [SampleQuery.Order]
  /// The most workouts in the answer; nil for all.
  public var limit: Int?

  /// A query with the given parts.
  public init(
    _ predicate: SamplePredicate = .all, order: [SampleQuery.Order] = [SampleQuery.Order(.start)], limit: Int? = nil
  ) {
    self.predicate = predicate
    self.order = order
    self.limit = limit
  }

  /// The query for the samples of these workouts.
  package var samples: SampleQuery {
    SampleQuery(.and([.type(.workout), predicate]), order: order, limit: limit)
  }

  /// Whether the change is about a workout, or may have changed the figures of one: a deletion of what was collected does.
  public func isConcerned(by change: StoreChange) -> Bool {
    change.isDeletion || SamplePredicate.and([.type(.workout), predicate]).mayMean(change)
  }
}
