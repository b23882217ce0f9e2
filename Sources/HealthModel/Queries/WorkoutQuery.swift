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

  /// The same question about samples.
  package var samples: SampleQuery {
    SampleQuery(.and([.type(.workout), predicate]), order: order, limit: limit)
  }

  /// Whether the change is about a workout, or may have changed the figures of one: a deletion of what was collected does.
  public func isConcerned(by change: StoreChange) -> Bool {
    change.isDeletion || SamplePredicate.and([.type(.workout), predicate]).mayMean(change)
  }
}
