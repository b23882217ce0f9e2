public import FoundationEssentials

/// The locations of one route, in order of time; `StoreError.Code.notFound` if it is not in the store.
///
/// The routes of a workout are the samples of the type ``SampleType/workoutRoute`` that are
/// ``SamplePredicate/collected(in:)`` it.
public struct WorkoutRouteQuery: HealthQuery {
  /// The locations.
  public typealias Output = [RouteLocation]

  /// The route's identifier, not its workout's.
  public let route: UUID

  /// Asks for the locations of that route.
  public init(_ route: UUID) {
    self.route = route
  }

  /// Whether the change is about a route.
  public func isConcerned(by change: StoreChange) -> Bool {
    SamplePredicate.type(.workoutRoute).mayMean(change)
  }
}
