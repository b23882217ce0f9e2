import DBus
import HealthModel
import Testing

@testable import RecorderBus

@Suite("What clients send of a workout")
struct WorkoutArgumentTests {
  private static let pool = WorkoutConfiguration(
    .swimming, location: .indoor, swimmingLocation: .pool, lapLength: Quantity(25, Unit("yd")!))
  private static let odd = WorkoutConfiguration(
    WorkoutActivityType(rawValue: 12_345), location: WorkoutSessionLocation(rawValue: 9),
    swimmingLocation: WorkoutSwimmingLocation(rawValue: -1))
  private static let span = TimeSpan(start: Timestamp(microseconds: 5), end: Timestamp(microseconds: 9))!

  /// A value as it arrives: what a bus would not carry is refused here.
  private func sent(_ value: Value) throws -> Value {
    let message = Message.call(
      "org.sensord", path: "/org/sensord", interface: "org.sensord.Test", member: "Test", body: [value])
    return try #require(try Message(unmarshalling: message.marshalled()).body.first)
  }

  @Test(
    "the beginning of a workout arrives as it was sent, also with numbers that have no name",
    arguments: [
      WorkoutOptions(WorkoutConfiguration(.running)),
      WorkoutOptions(pool, sensor: .one("C0:FF:EE:00:00:01"), metadata: ["title": "Race", "round": 3]),
      WorkoutOptions(odd, sensor: .none, endsWithClient: false),
    ])
  func beginning(options: WorkoutOptions) throws {
    #expect(try WorkoutOptions(sent(options.value)) == options)
  }

  @Test(
    "an activity arrives as it was sent",
    arguments: [
      ActivityOptions(), ActivityOptions(WorkoutConfiguration(.running)),
      ActivityOptions(pool, at: Timestamp(microseconds: -7), metadata: ["title": "Swim"]),
    ])
  func activity(options: ActivityOptions) throws {
    #expect(try ActivityOptions(sent(options.value), in: .swimBikeRun) == options)
  }

  @Test("an activity for which only a place is named has the workout's type")
  func place() throws {
    let options = try ActivityOptions(.properties(["location": .string("outdoor")]), in: .running)
    #expect(options == ActivityOptions(WorkoutConfiguration(.running, location: .outdoor)))
  }

  @Test(
    "an event arrives as it was sent",
    arguments: [
      EventOptions(.lap), EventOptions(.segment, over: span),
      EventOptions(WorkoutEventType(rawValue: 99), metadata: ["title": "Bridge"]),
    ])
  func event(options: EventOptions) throws {
    #expect(try EventOptions(sent(options.value)) == options)
  }

  @Test("an end waits for the recovery unless it says otherwise")
  func end() throws {
    #expect(try WorkoutEndOptions(.properties([:])).waitsForRecovery)
    #expect(try !WorkoutEndOptions(sent(WorkoutEndOptions(waitsForRecovery: false).value)).waitsForRecovery)
    #expect(throws: ArgumentError.unknownKey) { try WorkoutEndOptions(.properties(["now": .boolean(true)])) }
    #expect(throws: ArgumentError.invalid("recovery")) { try WorkoutEndOptions(.properties(["recovery": .int64(0)])) }
  }

  @Test(
    "what cannot begin a workout is refused",
    arguments: [
      ([:], ArgumentError.missing("activityType")), (["activityType": .string("jogging")], .invalid("activityType")),
      (["activityType": .int64(37)], .invalid("activityType")),
      (["activityType": .string("037")], .invalid("activityType")),
      (["location": .string("indoor")], .missing("activityType")),
      (["activityType": .string("running"), "location": .string("moon")], .invalid("location")),
      (["activityType": .string("running"), "swimmingLocation": .string("Pool")], .invalid("swimmingLocation")),
      (["activityType": .string("running"), "lapLength": .double(25)], .invalid("lapLength")),
      (
        ["activityType": .string("running"), "lapLength": .structure([.double(.nan), .string("m")])],
        .invalid("lapLength")
      ),
      (
        ["activityType": .string("running"), "lapLength": .structure([.double(25), .string("furlong")])],
        .invalid("lapLength")
      ),
      (["activityType": .string("running"), "sensor": .int64(1)], .invalid("sensor")),
      (["activityType": .string("running"), "typo": .int64(1)], .unknownKey),
    ] as [([String: Value], ArgumentError)])
  func refusedBeginnings(properties: [String: Value], error: ArgumentError) {
    #expect(throws: error) { try WorkoutOptions(.properties(properties)) }
  }

  @Test(
    "what cannot be an event is refused",
    arguments: [
      ([:], ArgumentError.missing("type")), (["type": .string("round")], .invalid("type")),
      (["type": .string("lap"), "start_us": .int64(1)], .missing("end_us")),
      (["type": .string("lap"), "end_us": .int64(1)], .missing("start_us")),
      (["type": .string("lap"), "start_us": .int64(2), "end_us": .int64(1)], .invalid("end_us")),
      (["type": .string("lap"), "activity": .string("x")], .unknownKey),
    ] as [([String: Value], ArgumentError)])
  func refusedEvents(properties: [String: Value], error: ArgumentError) {
    #expect(throws: error) { try EventOptions(.properties(properties)) }
  }

  @Test("figures arrive as they were told, also where there are none")
  func figures() throws {
    let heart = WorkoutStatistics(
      .heartRate, count: 17, average: 150.5, minimum: 90, maximum: 184, mostRecent: 140, mostRecentSpan: Self.span)
    let one = WorkoutStatistics(.heartRate, count: 1, average: 120, minimum: 120, maximum: 120)
    for figures in [
      WorkoutFigures(activityType: nil), WorkoutFigures(activityType: .swimBikeRun, currentActivityType: .transition),
      WorkoutFigures(
        activityType: .running, currentActivityType: .running,
        workout: WorkoutFigures.Part(heart, duration: .milliseconds(4_500)),
        activity: WorkoutFigures.Part(one, duration: nil)),
    ] {
      #expect(try WorkoutFigures(sent(figures.value), of: .heartRate) == figures)
    }
    let steps = WorkoutFigures(
      activityType: .running,
      workout: WorkoutFigures.Part(WorkoutStatistics(.stepCount, count: 2, sum: 400), duration: .seconds(60)))
    #expect(try WorkoutFigures(sent(steps.value), of: .stepCount) == steps)
  }

  @Test("figures come in the unit of the type, and what makes no sense is no answer")
  func units() throws {
    let kilometres = Value.properties(["workout": .properties(["unit": .string("km"), "sum": .double(2)])])
    let figures = try #require(WorkoutFigures(kilometres, of: .distanceSwimming))
    #expect(figures.workout?.statistics.sum == 2000)
    #expect(figures.workout?.statistics.count == 1 && figures.workout?.duration == nil)
    #expect(WorkoutFigures(kilometres, of: .heartRate) == nil)
    #expect(WorkoutFigures(.properties(["workout": .properties([:])]), of: .heartRate) == nil)
    #expect(WorkoutFigures(.string("x"), of: .heartRate) == nil)
  }
}
