import FoundationEssentials
import HealthModel
import Testing

@Suite("Workouts")
struct WorkoutTests {
  private static func time(_ second: Int) -> Timestamp { Timestamp(microseconds: Int64(second) * 1_000_000) }

  private static func span(_ start: Int, _ end: Int) -> TimeSpan {
    TimeSpan(start: time(start), end: time(end))!
  }

  private static func workout(
    _ configuration: WorkoutConfiguration = .init(.swimBikeRun), events: [WorkoutEvent] = [],
    activities: [WorkoutActivity] = []
  ) -> Workout {
    Workout(configuration, over: span(0, 100), events: events, activities: activities)
  }

  private static func activity(_ type: WorkoutActivityType, _ start: Int, _ end: Int) -> WorkoutActivity {
    WorkoutActivity(.init(type), over: span(start, end))
  }

  @Test("activity types have HealthKit's numbers and names, and a number without a name is kept")
  func types() throws {
    let numbers: [(WorkoutActivityType, Int64, String)] = [
      (.walking, 52, "walking"), (.running, 37, "running"), (.cycling, 13, "cycling"), (.swimming, 46, "swimming"),
      (.swimBikeRun, 82, "swimBikeRun"), (.transition, 83, "transition"), (.rowing, 35, "rowing"),
      (.hiking, 24, "hiking"), (.yoga, 57, "yoga"),
      (.highIntensityIntervalTraining, 63, "highIntensityIntervalTraining"),
      (.traditionalStrengthTraining, 50, "traditionalStrengthTraining"),
      (.functionalStrengthTraining, 20, "functionalStrengthTraining"), (.elliptical, 16, "elliptical"),
      (.fitnessGaming, 76, "fitnessGaming"), (.mindAndBody, 29, "mindAndBody"), (.other, 3000, "other"),
    ]
    for (type, number, name) in numbers {
      #expect(type.rawValue == number && type.description == name && WorkoutActivityType(name) == type)
    }
    #expect(WorkoutActivityType.named.count == 84)
    for type in WorkoutActivityType.named { #expect(WorkoutActivityType(type.description) == type) }
    let unknown = WorkoutActivityType(rawValue: 4711)
    #expect(unknown.description == "4711" && WorkoutActivityType("4711") == unknown)
    for text in ["", "Running", "run", "037", "+37", "3.7", " running"] { #expect(WorkoutActivityType(text) == nil) }
    let locations: [WorkoutSessionLocation] = [.unknown, .indoor, .outdoor]
    let swims: [WorkoutSwimmingLocation] = [.unknown, .pool, .openWater]
    let events: [WorkoutEventType] = [
      .pause, .resume, .lap, .marker, .motionPaused, .motionResumed, .segment, .pauseOrResumeRequest,
    ]
    #expect(locations.map(\.rawValue) == [1, 2, 3] && swims.map(\.rawValue) == [0, 1, 2])
    #expect(events.map(\.rawValue) == Array(1...8) && WorkoutEventType(rawValue: 99).description == "99")
  }

  @Test("the parts of a race do not overlap, need not touch, and come in order of time")
  func activities() throws {
    let swim = Self.activity(.swimming, 0, 20)
    let bike = Self.activity(.cycling, 25, 60)
    let workout = Self.workout(activities: [bike, swim])
    try workout.validate()
    #expect(workout.activities == [swim, bike])
    try Self.workout(activities: [swim, Self.activity(.transition, 20, 25), bike]).validate()
  }

  private static let refused: [(Workout, WorkoutError)] = [
    (workout(activities: [activity(.swimming, 0, 20), activity(.cycling, 19, 30)]), .activitiesOverlap),
    (workout(activities: [activity(.rowing, 0, 20)]), .activityType(.rowing, in: .swimBikeRun)),
    (workout(activities: [activity(.swimBikeRun, 0, 20)]), .activityType(.swimBikeRun, in: .swimBikeRun)),
    (workout(.init(.running), activities: [activity(.walking, 0, 20)]), .activityType(.walking, in: .running)),
    (workout(activities: [activity(.running, 90, 101)]), .activityOutside),
    (workout(activities: [activity(.running, -1, 10)]), .activityOutside),
    (
      workout(
        activities: [
          WorkoutActivity(id: UUID(uuid: UUID().uuid), .init(.running), over: span(1, 2))
        ].flatMap { [$0, WorkoutActivity(id: $0.id, .init(.running), over: span(3, 4))] }), .activityTwice
    ),
    (workout(events: [WorkoutEvent(.lap, over: span(0, 10)), WorkoutEvent(.lap, over: span(9, 20))]), .lapsOverlap),
    (workout(events: [WorkoutEvent(.marker, at: time(101))]), .eventOutside(.marker)),
    (workout(events: [WorkoutEvent(.segment, over: span(-1, 10))]), .eventOutside(.segment)),
    (workout(events: [WorkoutEvent(.init(rawValue: 9), at: time(1))]), .unknownEvent(.init(rawValue: 9))),
    (workout(.init(.swimming, lapLength: Quantity(0, .meter))), .invalidLapLength),
    (workout(.init(.swimming, lapLength: Quantity(10_001, .meter))), .invalidLapLength),
    (workout(.init(.swimming, lapLength: Quantity(.nan, .meter))), .invalidLapLength),
    (workout(.init(.swimming, lapLength: Quantity(25, .second))), .invalidLapLength),
    (Workout(.init(.running), over: TimeSpan(at: Timestamp(microseconds: .max))), .timeOutOfRange),
    (
      workout(events: Array(repeating: WorkoutEvent(.marker, at: time(1)), count: 10_001)),
      .tooManyEvents(limit: 10_000)
    ),
    (
      workout(activities: (0...1000).map { _ in activity(.running, 1, 1) }), .tooManyActivities(limit: 1000)
    ),
  ]

  @Test("whoever breaks a rule is told which", arguments: refused.indices)
  func refusals(index: Int) {
    let (workout, error) = Self.refused[index]
    #expect(throws: error) { try workout.validate() }
  }

  @Test("an activity's own events lie in it, and its laps count among those of the workout")
  func ownEvents() throws {
    var run = Self.activity(.running, 10, 20)
    run.events = [WorkoutEvent(.lap, over: Self.span(10, 15))]
    let lap = WorkoutEvent(.lap, over: Self.span(15, 18))
    let workout = Self.workout(events: [lap, WorkoutEvent(.marker, at: Self.time(30))], activities: [run])
    try workout.validate()
    #expect(workout.events(in: workout.activities[0]) == [run.events[0], lap])
    #expect(throws: WorkoutError.lapsOverlap) {
      try Self.workout(events: [WorkoutEvent(.lap, over: Self.span(14, 18))], activities: [run]).validate()
    }
    // What leaves the activity is not in it.
    let longer = Self.workout(events: [WorkoutEvent(.segment, over: Self.span(15, 21))], activities: [run])
    #expect(longer.events(in: longer.activities[0]) == run.events)
    for second in [9, 21] {
      run.events = [WorkoutEvent(.marker, at: Self.time(second))]
      #expect(throws: WorkoutError.eventOutside(.marker)) { try Self.workout(activities: [run]).validate() }
    }
  }

  @Test("segments may overlap, a lap may begin where another ends, and a pool may be measured in yards")
  func allowed() throws {
    let yards = Quantity(25, try Unit(parsing: "yd"))
    try Self.workout(
      .init(.swimming, location: .indoor, swimmingLocation: .pool, lapLength: yards),
      events: [
        WorkoutEvent(.segment, over: Self.span(0, 60)), WorkoutEvent(.segment, over: Self.span(30, 90)),
        WorkoutEvent(.lap, over: Self.span(0, 50)), WorkoutEvent(.lap, over: Self.span(50, 100)),
        WorkoutEvent(.pauseOrResumeRequest, at: Self.time(7)),
      ]
    ).validate()
  }

  @Test("pauses are left out of the duration, whoever made them, and one that nobody ended lasts to the end")
  func pauses() {
    let events = [
      WorkoutEvent(.pause, at: Self.time(10)), WorkoutEvent(.pause, at: Self.time(12)),
      WorkoutEvent(.resume, at: Self.time(20)), WorkoutEvent(.resume, at: Self.time(25)),
      WorkoutEvent(.motionPaused, at: Self.time(15)), WorkoutEvent(.motionResumed, at: Self.time(30)),
      WorkoutEvent(.pause, at: Self.time(95)),
    ]
    let run = Self.activity(.running, 5, 25)
    var bike = Self.activity(.cycling, 40, 60)
    bike.events = [WorkoutEvent(.motionPaused, at: Self.time(52))]
    let workout = Self.workout(events: events.reversed(), activities: [run, bike])
    #expect(workout.duration(of: run) == .seconds(5) && workout.duration(of: bike) == .seconds(12))
    // 10 to 30 and 95 to 100 s, and 52 to 60 s of the activity.
    #expect(workout.duration == .seconds(67) && workout.durations == [67_000_000, 5_000_000, 12_000_000])
    #expect(workout.span.duration == .seconds(100))
  }

  @Test("it is decoded as it was encoded")
  func coding() throws {
    let workout = Workout(
      .init(.swimming, location: .outdoor, swimmingLocation: .openWater, lapLength: Quantity(0.5, Unit("km")!)),
      over: Self.span(0, 100), events: [WorkoutEvent(.lap, over: Self.span(0, 9), metadata: ["no": 1])],
      activities: [Self.activity(.swimming, 0, 50)], metadata: ["sea": "Baltic"],
      allStatistics: [WorkoutStatistics(.heartRate, count: 2, average: 121.5, minimum: 100, maximum: 143)])
    #expect(try JSONDecoder().decode(Workout.self, from: JSONEncoder().encode(workout)) == workout)
  }
}
