import RecorderBus

internal import ArgumentParser
internal import DBus
internal import Documents
internal import HealthModel
import Support

/// `sensord workout activity [TYPE]`.
struct WorkoutActivityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activity", abstract: "Begin an activity, and end the one under way.",
    usage: "sensord workout activity [<type>] [options]",
    discussion: """
      In swimBikeRun activities are swimming, cycling, running or transition; in
      every other workout they are intervals of its own type. Without a type it is
      another interval of the same kind as the workout.
      """)

  @Argument(help: "What is done now.")
  var type: String?

  @OptionGroup var place: WorkoutPlaceOptions

  @OptionGroup var metadata: MetadataOption

  @Flag(help: "Only end the one under way.")
  var end = false

  @OptionGroup var choice: WorkoutChoice

  @Flag(help: "Print the activity as JSON.")
  var json = false

  func validate() throws {
    if end {
      guard type == nil, place.isEmpty, metadata.metadata.isEmpty else {
        throw ValidationError("--end begins nothing: leave out what is to begin")
      }
    } else if let type {
      _ = try place.configuration(of: type)
    } else if !place.isEmpty {
      throw ValidationError("name the type of the activity, too")
    }
  }

  mutating func run() throws {
    let (name, end) = (choice.workout, end)
    let configuration = try type.map { try place.configuration(of: $0) }
    let options = ActivityOptions(configuration, metadata: metadata.values)
    let (workout, activity) = try CommandLoop.run(on: EventLoop()) { loop in
      let access = try await WorkoutAccess.find(on: loop)
      let workout = try await access.workout(name)
      guard !end else {
        try await access.endActivity(workout)
        return (workout.id, String?.none)
      }
      return (workout.id, try await access.beginActivity(workout, options))
    }
    guard json else { return }
    let document: JSONValue = ["workout": .string(workout), "activity": .string(activity)]
    try StandardOutput.write(document.text + "\n")
  }
}

/// `sensord workout lap`.
struct WorkoutLapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lap", abstract: "End a lap: it lasted since the last one, or the start.",
    usage: "sensord workout lap [options]")

  @OptionGroup var event: WorkoutEventRequest

  mutating func run() throws { try event.add(.lap) }
}

/// `sensord workout segment`.
struct WorkoutSegmentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "segment", abstract: "End a segment: it lasted since the last one, or the start.",
    usage: "sensord workout segment [options]")

  @OptionGroup var event: WorkoutEventRequest

  mutating func run() throws { try event.add(.segment) }
}

/// `sensord workout mark [TEXT]`.
struct WorkoutMarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark", abstract: "Mark the present moment.", usage: "sensord workout mark [<text>] [options]")

  @Argument(help: "What is said of the moment.")
  var text: String?

  @OptionGroup var event: WorkoutEventRequest

  mutating func run() throws { try event.add(.marker, title: text) }
}

/// A request that adds an event at the present time.
struct WorkoutEventRequest: ParsableArguments {
  /// The key of a moment's title, as in sessions.
  private static let titleKey = "title"

  @OptionGroup var metadata: MetadataOption

  @OptionGroup var choice: WorkoutChoice

  @Flag(help: "Print the event as JSON.")
  var json = false

  func add(_ type: WorkoutEventType, title: String? = nil) throws {
    var values = metadata.values
    if let title { values[Self.titleKey] = .text(title) }
    let (name, event) = (choice.workout, EventOptions(type, metadata: values))
    let workout = try CommandLoop.run(on: EventLoop()) { loop in
      let access = try await WorkoutAccess.find(on: loop)
      let workout = try await access.workout(name)
      try await access.add(event, to: workout)
      return workout.id
    }
    guard json else { return }
    let document: JSONValue = ["workout": .string(workout), "event": .string(type.description)]
    try StandardOutput.write(document.text + "\n")
  }
}

/// `sensord workout pause`.
struct WorkoutPauseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Pause: what is measured does not count.")

  @OptionGroup var choice: WorkoutChoice

  @Flag(help: "Print the state as JSON.")
  var json = false

  mutating func run() throws { try choice.change(isPaused: true, json: json) }
}

/// `sensord workout resume`.
struct WorkoutResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "resume", abstract: "Go on after a pause.")

  @OptionGroup var choice: WorkoutChoice

  @Flag(help: "Print the state as JSON.")
  var json = false

  mutating func run() throws { try choice.change(isPaused: false, json: json) }
}

extension WorkoutChoice {
  fileprivate func change(isPaused: Bool, json: Bool) throws {
    let name = workout
    let workout = try CommandLoop.run(on: EventLoop()) { loop in
      let access = try await WorkoutAccess.find(on: loop)
      let workout = try await access.workout(name)
      if isPaused { try await access.pause(workout) } else { try await access.resume(workout) }
      return workout.id
    }
    guard json else { return }
    let document: JSONValue = ["workout": .string(workout), "state": .string(isPaused ? "paused" : "running")]
    try StandardOutput.write(document.text + "\n")
  }
}
