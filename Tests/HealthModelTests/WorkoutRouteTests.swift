import HealthModel
import Testing

@Suite("The route of a workout")
struct WorkoutRouteTests {
  private static func time(_ seconds: Int64) -> Timestamp { Timestamp(microseconds: seconds * 1_000_000) }

  private static let workout = Workout(
    WorkoutConfiguration(.running), over: TimeSpan(start: time(100), end: time(200))!)

  private static func place(_ seconds: Int64, _ latitude: Double = 52) -> RouteLocation {
    RouteLocation(at: time(seconds), latitude: latitude, longitude: 13)
  }

  @Test("locations come in any order and are in order of time; those of one moment stay as they came")
  func order() throws {
    var builder = WorkoutRouteBuilder()
    try builder.insertRouteData([Self.place(150), Self.place(200)])
    try builder.insertRouteData([Self.place(100), Self.place(150, 53)])
    #expect(builder.count == 4)
    let route = try builder.finishRoute(with: Self.workout, metadata: ["name": "Park"])
    #expect(route.locations == [Self.place(100), Self.place(150), Self.place(150, 53), Self.place(200)])
    #expect(route.workout == Self.workout.id && route.id == builder.id && route.metadata == ["name": "Park"])
    #expect(route.span == Self.workout.span)
  }

  @Test("what is out of its range is refused by name, with all that came with it; the ends of the ranges are not")
  func ranges() throws {
    typealias Field = WorkoutRouteError.Field
    let fields: [(Field, WritableKeyPath<RouteLocation, Double?>, [Double], [Double])] = [
      (.altitude, \.altitude, [-12_000, 100_000], [-12_000.1, 100_000.1]),
      (.horizontalAccuracy, \.horizontalAccuracy, [0, 5_000], [-1]),
      (.verticalAccuracy, \.verticalAccuracy, [0, 5_000], [-1]), (.speed, \.speed, [0, 10_000], [-0.1, 10_000.1]),
      (.course, \.course, [0, 359.9], [-0.1, 360]),
    ]
    var builder = WorkoutRouteBuilder()
    for (field, value, valid, invalid) in fields {
      for number in valid {
        var place = Self.place(150)
        place[keyPath: value] = number
        try builder.insertRouteData([place])
      }
      let count = builder.count
      for number in invalid + [.nan, .infinity] {
        var place = Self.place(150)
        place[keyPath: value] = number
        #expect(throws: WorkoutRouteError.outOfRange(field)) { try builder.insertRouteData([Self.place(150), place]) }
        #expect(builder.count == count)
      }
    }
    for degrees in [-90.0, 90] { try builder.insertRouteData([Self.place(150, degrees)]) }
    for degrees in [-90.1, 90.1, .nan] {
      #expect(throws: WorkoutRouteError.outOfRange(.latitude)) {
        try builder.insertRouteData([Self.place(150, degrees)])
      }
    }
    for degrees in [-180.1, 180.1] {
      let place = RouteLocation(at: Self.time(150), latitude: 0, longitude: degrees)
      #expect(throws: WorkoutRouteError.outOfRange(.longitude)) { try builder.insertRouteData([place]) }
    }
    let never = RouteLocation(at: Timestamp(microseconds: .max), latitude: 0, longitude: 0)
    #expect(throws: WorkoutRouteError.timeOutOfRange) { try builder.insertRouteData([never]) }
  }

  @Test("an empty route, one that leaves its workout, and every call after the end are refused")
  func wrongOrder() throws {
    var builder = WorkoutRouteBuilder()
    #expect(throws: WorkoutRouteError.noLocations) { try builder.finishRoute(with: Self.workout) }
    try builder.insertRouteData([Self.place(100)])
    for seconds: Int64 in [99, 201] {
      var outside = builder
      try outside.insertRouteData([Self.place(seconds)])
      #expect(throws: WorkoutRouteError.outsideWorkout) { try outside.finishRoute(with: Self.workout) }
    }
    _ = try builder.finishRoute(with: Self.workout)
    #expect(throws: WorkoutRouteError.finished) { try builder.finishRoute(with: Self.workout) }
    #expect(throws: WorkoutRouteError.finished) { try builder.insertRouteData([]) }
    #expect(throws: WorkoutRouteError.finished) { try builder.discard() }
    var discarded = WorkoutRouteBuilder()
    try discarded.discard()
    #expect(throws: WorkoutRouteError.finished) { try discarded.insertRouteData([Self.place(150)]) }
    let many = [RouteLocation](repeating: Self.place(150), count: WorkoutRoute.mostLocations + 1)
    var full = WorkoutRouteBuilder()
    #expect(throws: WorkoutRouteError.tooManyLocations(limit: 1_000_000)) { try full.insertRouteData(many) }
  }
}
