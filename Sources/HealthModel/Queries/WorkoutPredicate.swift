/// A condition on workouts (``SamplePredicate/workout(_:)``) or on activities of workouts
/// (``SamplePredicate/workoutActivity(_:)``). The descriptions below name workouts, and hold for activities, too.
///
/// Figures are those that were stored with the workout, so that nothing is unpacked for an answer.
public struct WorkoutPredicate: Hashable, Sendable {
  /// The condition as a value, for stores and for the way to another program.
  public let form: Form

  init(form: Form) {
    self.form = form
  }

  /// The conditions; each is made by the static member of that name. A later version may have more.
  @nonexhaustive
  public indirect enum Form: Hashable, Sendable {
    case all
    case activityType(Set<WorkoutActivityType>)
    case time(from: Timestamp?, to: Timestamp?, strictness: SamplePredicate.TimeStrictness)
    case start(SamplePredicate.Comparison, Timestamp)
    case end(SamplePredicate.Comparison, Timestamp)
    case duration(SamplePredicate.Comparison, microseconds: Int64)
    case statistic(SamplePredicate.QuantityFigure, type: String, SamplePredicate.Comparison, Quantity)
    case and([WorkoutPredicate])
    case or([WorkoutPredicate])
    case not(WorkoutPredicate)
  }

  /// Every workout.
  public static let all = WorkoutPredicate(form: .all)

  /// Workouts of one of these types.
  public static func activityType(_ types: Set<WorkoutActivityType>) -> WorkoutPredicate {
    WorkoutPredicate(form: .activityType(types))
  }

  /// Workouts of that type.
  public static func activityType(_ type: WorkoutActivityType) -> WorkoutPredicate { activityType([type]) }

  /// Workouts by time, by default those that overlap `[from, to)`; nil leaves a side open.
  public static func time(
    from: Timestamp?, to: Timestamp?, strictness: SamplePredicate.TimeStrictness = []
  ) -> WorkoutPredicate {
    WorkoutPredicate(form: .time(from: from, to: to, strictness: strictness))
  }

  /// Workouts by their start.
  public static func start(_ comparison: SamplePredicate.Comparison, _ moment: Timestamp) -> WorkoutPredicate {
    WorkoutPredicate(form: .start(comparison, moment))
  }

  /// Workouts by their end.
  public static func end(_ comparison: SamplePredicate.Comparison, _ moment: Timestamp) -> WorkoutPredicate {
    WorkoutPredicate(form: .end(comparison, moment))
  }

  /// Workouts by their duration without pauses, to the microsecond.
  public static func duration(_ comparison: SamplePredicate.Comparison, _ duration: Duration) -> WorkoutPredicate {
    WorkoutPredicate(form: .duration(comparison, microseconds: duration.wholeMicroseconds))
  }

  /// Workouts by a figure of a quantity type, in any unit compatible with the type's. Where nothing of the type was collected, or
  /// the type has no such figure, nothing matches.
  public static func statistic(
    _ figure: SamplePredicate.QuantityFigure, of type: QuantityType, _ comparison: SamplePredicate.Comparison,
    _ quantity: Quantity
  ) -> WorkoutPredicate {
    statistic(figure, ofTypeNamed: type.identifier, comparison, quantity)
  }

  /// Workouts by a figure of a type of which only the identifier is known.
  package static func statistic(
    _ figure: SamplePredicate.QuantityFigure, ofTypeNamed identifier: String, _ comparison: SamplePredicate.Comparison,
    _ quantity: Quantity
  ) -> WorkoutPredicate {
    WorkoutPredicate(form: .statistic(figure, type: identifier, comparison, quantity))
  }

  /// Workouts that match all parts; every workout if there are no parts.
  public static func and(_ parts: [WorkoutPredicate]) -> WorkoutPredicate { WorkoutPredicate(form: .and(parts)) }

  /// Workouts that match at least one part; no workout if there are no parts.
  public static func or(_ parts: [WorkoutPredicate]) -> WorkoutPredicate { WorkoutPredicate(form: .or(parts)) }

  /// Workouts that do not match the part.
  public static func not(_ part: WorkoutPredicate) -> WorkoutPredicate { WorkoutPredicate(form: .not(part)) }
}
