import ArgumentParser
import Documents
import FoundationEssentials
import HealthModel
import SensordClient
import Support

/// `sensord workout`: a live workout, for people and shells.
struct WorkoutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workout",
    abstract: "Start, mark and end a workout of what is recorded.",
    discussion: """
      A workout has the heart rates, beats and energy of a sensor while it lasts,
      with its activities, laps and pauses, and how the heart recovered after it.
      It goes on when these commands have ended, and when the recorder restarts.

        sensord workout start swimBikeRun --location outdoor
        sensord workout activity swimming --swimming-location openWater
        sensord workout lap
        sensord workout activity transition
        sensord workout end

      An interval of a run, and a rest:

        sensord workout start running --activities
        sensord workout activity --end
        sensord workout activity
      """,
    subcommands: [
      WorkoutStartCommand.self, WorkoutActivityCommand.self, WorkoutLapCommand.self, WorkoutSegmentCommand.self,
      WorkoutMarkCommand.self, WorkoutPauseCommand.self, WorkoutResumeCommand.self, WorkoutStatusCommand.self,
      WorkoutEndCommand.self, WorkoutDiscardCommand.self,
    ])
}

/// `sensord workout start TYPE`.
struct WorkoutStartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Start a workout; prints its name.",
    usage: "sensord workout start <type> [options]",
    discussion: """
      The type is HealthKit's name or number: walking, running, cycling, swimming,
      rowing, hiking, yoga, highIntensityIntervalTraining, fitnessGaming, other,
      and so on; swimBikeRun for several sports in one.
      """)

  @Argument(help: "What is done, such as running.")
  var type: String

  @OptionGroup var place: WorkoutPlaceOptions

  @Option(help: ArgumentHelp("Whose heart; needed where several sensors measure.", valueName: "address"))
  var sensor: String?

  @Flag(help: "Without a sensor: programs add what there is.")
  var noSensor = false

  @OptionGroup var metadata: MetadataOption

  @Flag(
    help: ArgumentHelp(
      "Begin the first activity with it: an interval of the same type; swimming in swimBikeRun."))
  var activities = false

  @Flag(help: "Print the workout as JSON.")
  var json = false

  func validate() throws {
    _ = try place.configuration(of: type)
    guard sensor == nil || !noSensor else { throw ValidationError("--sensor and --no-sensor exclude each other") }
    guard sensor?.isEmpty != true else { throw ValidationError("--sensor needs an address; --no-sensor goes without") }
  }

  mutating func run() throws {
    let configuration = try place.configuration(of: type)
    let sensor: WorkoutSensor = noSensor ? .none : sensor.map { .address($0) } ?? .any
    let metadata = metadata.values
    let first = activities ? Self.firstActivity(of: configuration) : nil
    let (workout, activity) = try RunningRecorder.run { recorder in
      let workout = try await recorder.startWorkout(
        configuration, sensor: sensor, metadata: metadata, endsWithClient: false)
      guard let first else { return (workout, UUID?.none) }
      return (workout, try await workout.beginNewActivity(first, at: workout.start))
    }
    guard json else { return try StandardOutput.write("\(workout.name)\n") }
    let document: JSONValue = [
      "id": .string(workout.name), "path": .string(workout.objectPath),
      "type": .string(configuration.activityType.description), "sensor": .string(workout.sensor),
      "start": .string(workout.start.iso8601()), "activity": .string(activity?.uuidString.lowercased()),
    ]
    try StandardOutput.write(document.text + "\n")
  }

  /// The first activity of a workout with intervals: a triathlon begins in the water; every other type has intervals of the same
  /// type.
  private static func firstActivity(of workout: WorkoutConfiguration) -> WorkoutConfiguration {
    var first = workout
    if workout.activityType == .swimBikeRun { first.activityType = .swimming }
    return first
  }
}

/// The workout that a command is about.
struct WorkoutChoice: ParsableArguments {
  @Option(help: ArgumentHelp("The first digits of its name; needed where several go on.", valueName: "id"))
  var workout: String?

  /// Does `body` with the workout.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable (LiveWorkout) async throws -> Value
  ) throws -> (workout: LiveWorkout, value: Value) {
    let name = workout
    return try RunningRecorder.run { recorder in
      let workout = try await ShellObjectKind.workout.chosen(name, of: recorder.workouts())
      return (workout, try await body(workout))
    }
  }
}

/// The place of a workout or an activity.
struct WorkoutPlaceOptions: ParsableArguments {
  enum Location: String, CaseIterable, ExpressibleByArgument {
    case indoor, outdoor
  }

  enum SwimmingLocation: String, CaseIterable, ExpressibleByArgument {
    case pool, openWater
  }

  @Option(help: ArgumentHelp("Where it takes place.", valueName: "where"))
  var location: Location?

  @Option(help: ArgumentHelp("What is swum in.", valueName: "where"))
  var swimmingLocation: SwimmingLocation?

  @Option(help: ArgumentHelp("How long a lap is, such as '50 m' or 25yd.", valueName: "length"))
  var lapLength: String?

  /// Whether no option was given.
  var isEmpty: Bool { location == nil && swimmingLocation == nil && lapLength == nil }

  /// The configuration of a workout or activity of this type, with the given options.
  ///
  /// - Throws: `ValidationError`.
  func configuration(of type: String) throws -> WorkoutConfiguration {
    let configuration = WorkoutConfiguration(
      try Self.type(type), location: location.flatMap { WorkoutSessionLocation($0.rawValue) } ?? .unknown,
      swimmingLocation: swimmingLocation.flatMap { WorkoutSwimmingLocation($0.rawValue) } ?? .unknown,
      lapLength: try lapLength.map { try Self.length($0) })
    do throws(WorkoutError) {
      _ = try WorkoutSession(configuration)
    } catch {
      throw ValidationError(error.description)
    }
    return configuration
  }

  static func type(_ text: String) throws -> WorkoutActivityType {
    if let type = WorkoutActivityType(text) { return type }
    let nearest = Spelling.nearest(to: text, among: WorkoutActivityType.named.map(\.description))
    guard !nearest.isEmpty else {
      throw ValidationError("there is no activity type '\(text)'; HealthKit's names and numbers are understood")
    }
    let meant = nearest.map { "'\($0)'" }.joined(separator: ", or ")
    throw ValidationError("there is no activity type '\(text)'; did you mean \(meant)?")
  }

  /// A number and a unit, with or without a blank between them.
  static func length(_ text: String) throws -> Quantity {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let symbol = text.dropFirst(digits.count).drop { $0 == " " }
    guard let value = Double(digits), let unit = Unit(String(symbol)), unit.isCompatible(with: .meter) else {
      throw ValidationError("'\(text)' is no length; it is written as '50 m' or 25yd")
    }
    return Quantity(value, unit)
  }
}
