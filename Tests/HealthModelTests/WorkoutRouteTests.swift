import FoundationEssentials
import Testing

@testable import HealthModel

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

  @Test("its length is that of great circles from place to place, over the poles and the date line, too")
  func length() throws {
    func length(_ places: [(Double, Double)]) -> Double {
      WorkoutRoute(
        of: UUID(), places.enumerated().map { RouteLocation(at: Self.time(Int64($0)), latitude: $1.0, longitude: $1.1) }
      ).length
    }
    let quarter = 6_371_008.8 * Double.pi / 2
    let cases: [([(Double, Double)], Double)] = [
      ([], 0), ([(52, 13)], 0), ([(52, 13), (52, 13)], 0), ([(0, 0), (0, 90)], quarter),
      ([(0, 0), (90, 45)], quarter), ([(0, 0), (0, 180)], 2 * quarter), ([(80, 0), (80, 180)], quarter / 90 * 20),
      ([(0, 179.5), (0, -179.5)], quarter / 90), ([(0, 0), (1, 0), (0, 0)], quarter / 45),
      // Berlin to Paris, as others compute it.
      ([(52.520008, 13.404954), (48.856613, 2.352222)], 877_460),
    ]
    for (places, expected) in cases {
      #expect(abs(length(places) - expected) <= max(1e-6, expected * 1e-5), "\(places) \(length(places))")
    }
  }

  @Test("one that was made from its parts is in order, and is looked at as a whole")
  func parts() throws {
    let (first, second, third) = (Self.place(150), Self.place(150, 53), Self.place(120))
    let route = WorkoutRoute(of: Self.workout.id, [first, second, third])
    #expect(route.locations == [third, first, second])
    try route.validate()
    #expect(throws: WorkoutRouteError.noLocations) { try WorkoutRoute(of: UUID(), []).validate() }
    #expect(throws: WorkoutRouteError.outOfRange(.latitude)) {
      try WorkoutRoute(of: UUID(), [first, Self.place(150, 91)]).validate()
    }
    let many = [RouteLocation](repeating: first, count: WorkoutRoute.mostLocations + 1)
    #expect(throws: WorkoutRouteError.tooManyLocations(limit: 1_000_000)) {
      try WorkoutRoute(of: UUID(), many).validate()
    }
    #expect(WorkoutRoute(of: UUID(), []).span == nil)
    #expect(SampleType(identifier: "workoutRoute") == .workoutRoute && SampleType.standard.contains(.workoutRoute))
  }
}
