import ArgumentParser
import FoundationEssentials
import HealthModel
import SensordClient
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
    let (end, metadata) = (end, metadata.values)
    let configuration = try type.map { try place.configuration(of: $0) }
    let (workout, activity) = try choice.run { workout -> UUID? in
      guard end else { return try await workout.beginNewActivity(configuration, metadata: metadata) }
      try await workout.endCurrentActivity()
      return nil
    }
    guard json else { return }
    let document: JSONValue = [
      "workout": .string(workout.name), "activity": .string(activity?.uuidString.lowercased()),
    ]
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
    let metadata = values
    let workout = try choice.run { try await $0.addEvent(type, metadata: metadata) }.workout
    guard json else { return }
    let document: JSONValue = ["workout": .string(workout.name), "event": .string(type.description)]
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
    let workout = try run { try await isPaused ? $0.pause() : $0.resume() }.workout
    guard json else { return }
    let document: JSONValue = ["workout": .string(workout.name), "state": .string(isPaused ? "paused" : "running")]
    try StandardOutput.write(document.text + "\n")
  }
}
