import RecorderBus

internal import ArgumentParser
internal import BlueZ
internal import DBus
internal import Documents
internal import HealthModel
internal import Reports
import Support

/// `sensord workout end`.
struct WorkoutEndCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "end", abstract: "End a workout, and wait until it is stored.",
    usage: "sensord workout end [--no-recovery] [--workout <id>] [--json]",
    discussion: """
      The workout ends at once. The heart is listened to for 65 s more, to see how
      far its rate falls; then the workout is stored. Ctrl-C ends the waiting only:
      the recorder goes on by itself.
      """)

  @Flag(help: "Store it at once; also where it waits for its recovery already.")
  var noRecovery = false

  @OptionGroup var choice: WorkoutChoice

  @Flag(help: "Print the end as JSON.")
  var json = false

  mutating func run() throws {
    let (name, recovery) = (choice.workout, !noRecovery)
    let (id, isStored) = try CommandLoop.runInterruptibly { loop in
      defer { Progress.clear() }
      let access = try await WorkoutAccess.find(on: loop)
      let workout = try await access.workout(name)
      return (workout.id, try await access.end(workout, recovery: recovery, on: loop) { Progress.show($0.text) })
    }
    if !isStored {
      StandardError.write("The workout has ended. The recorder goes on by itself, and stores it soon.\n")
    } else if StandardError.isTerminal {
      StandardError.write("The workout is stored; 'sensord show \(id.prefix(8))' shows it.\n")
    }
    guard json else { return try StandardOutput.write("\(id)\n") }
    let document: JSONValue = ["id": .string(id), "stored": .bool(isStored)]
    try StandardOutput.write(document.text + "\n")
  }
}

extension WorkoutAccess.Ending {
  /// One line for a person.
  fileprivate var text: String {
    switch self {
    case .recovering(let left?):
      "Recording the recovery for \((left + 999_999) / 1_000_000) s more; Ctrl-C is safe, it goes on by itself"
    case .recovering(nil): "Recording the recovery; Ctrl-C is safe, it goes on by itself"
    case .beingStored: "Storing the workout"
    case .recorderGone: "The recorder has gone; waiting for it"
    }
  }
}

/// `sensord workout discard`.
struct WorkoutDiscardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard", abstract: "End a workout without storing it.",
    discussion: "What the sensor sent stays: it is stored as a session like any other.")

  @Flag(name: .shortAndLong, help: "Do not ask.")
  var yes = false

  @OptionGroup var choice: WorkoutChoice

  @Flag(help: "Print the workout as JSON.")
  var json = false

  mutating func run() throws {
    let name = choice.workout
    let isAsked = StandardInput.isTerminal && StandardError.isTerminal && !yes
    let discarded = try CommandLoop.runInterruptibly { loop in
      let access = try await WorkoutAccess.find(on: loop)
      let workout = try await access.workout(name)
      if isAsked, await !Self.consents(to: workout, on: loop) { return String?.none }
      try await access.discard(workout)
      return workout.id
    }
    guard let discarded else {
      StandardError.write("The workout goes on.\n")
      throw EarlierReport(status: .usage)
    }
    guard json else { return }
    let document: JSONValue = ["id": .string(discarded), "discarded": .bool(true)]
    try StandardOutput.write(document.text + "\n")
  }

  @concurrent private static func consents(to workout: DoorAccess.Object, on loop: EventLoop) async -> Bool {
    let elapsed = DurationText.text(microseconds: workout.properties["Elapsed"]?.int64 ?? 0)
    let input = LineInput(on: loop)
    while true {
      StandardError.write("Discard the workout of \(LocalTime.minute(workout.start)), \(elapsed) long? [y/n] ")
      guard let line = await input.next() else { return false }
      if let answer = PairingDialogue.consent(String(ConfigurationSyntax.trimmed(line[...]))) {
        return answer == .accepted
      }
    }
  }
}
