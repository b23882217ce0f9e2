/// Why a workout does not accept something. It stays as it was before.
@nonexhaustive
public enum WorkoutError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It would end before it starts, or an activity would.
  case endsBeforeStart
  /// It lies outside of the years 1 to 9999.
  case timeOutOfRange
  /// The length of a lap is no length, not above 0, or above 10 km.
  case invalidLapLength
  /// The event does not lie in the workout, or in the activity that it was told of.
  case eventOutside(WorkoutEventType)
  /// The rules of such an event are not known to this program.
  case unknownEvent(WorkoutEventType)
  /// Two laps would overlap.
  case lapsOverlap
  /// The activity does not lie in the workout.
  case activityOutside
  /// Two activities would overlap.
  case activitiesOverlap
  /// Two activities would have the same identifier.
  case activityTwice
  /// No activity of the one type can be in a workout of the other.
  case activityType(WorkoutActivityType, in: WorkoutActivityType)
  /// There would be more events than `limit`.
  case tooManyEvents(limit: Int)
  /// There would be more activities than `limit`.
  case tooManyActivities(limit: Int)

  /// The builder does not collect yet.
  case notBegun
  /// The builder collects already.
  case alreadyBegun
  /// The builder still collects.
  case notEnded
  /// The builder's collection was ended before.
  case alreadyEnded
  /// The builder has made its workout, or was told to discard it.
  case finished

  /// The session cannot do that in its state.
  case notPossible(in: WorkoutSession.State)
  /// The time is before that of an earlier call.
  case timeGoesBack
  /// No activity is under way.
  case noActivity
  /// A session makes such events itself.
  case eventOfSession(WorkoutEventType)

  /// One line for a person.
  public var description: String {
    switch self {
    case .endsBeforeStart: "it would end before it starts"
    case .timeOutOfRange: "the time lies outside of the years 1 to 9999"
    case .invalidLapLength: "the length of a lap is above 0 and at most 10 km"
    case .eventOutside(let type): "the event \(type) does not lie in its workout or activity"
    case .unknownEvent(let type): "the event \(type) is not known to this program"
    case .lapsOverlap: "two laps would overlap"
    case .activityOutside: "the activity does not lie in its workout"
    case .activitiesOverlap: "two activities would overlap"
    case .activityTwice: "two activities would have the same identifier"
    case .activityType(let type, let whole): "an activity of \(type) cannot be in a workout of \(whole)"
    case .tooManyEvents(let limit): "a workout has \(limit) events at most"
    case .tooManyActivities(let limit): "a workout has \(limit) activities at most"
    case .notBegun: "the collection has not begun"
    case .alreadyBegun: "the collection has begun already"
    case .notEnded: "the collection has not ended"
    case .alreadyEnded: "the collection has ended already"
    case .finished: "the workout was finished or discarded"
    case .notPossible(let state): "a session that is \(state) cannot do that"
    case .timeGoesBack: "the time is before that of an earlier call"
    case .noActivity: "no activity is under way"
    case .eventOfSession(let type): "a session makes the event \(type) itself"
    }
  }
}
