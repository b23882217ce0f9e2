import ArgumentParser
import BlueZ
import DBus
import FoundationEssentials
import HealthModel
import RecorderBus
import Reports
import SensordClient
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
      let recorder = try await RunningRecorder.require(on: loop)
      let workout = try await ShellObjectKind.workout.chosen(name, of: recorder.workouts())
      return (workout.name, try await WorkoutEnding(workout, of: recorder, on: loop).wait(recovery: recovery))
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

/// The end of a workout that a person waits for: shows once a second why it is not stored yet.
struct WorkoutEnding {
  private let workout: LiveWorkout
  private let recorder: SensordClient
  private let loop: EventLoop
  /// The seconds that a person waits for a recorder that is gone or cannot store the workout.
  private static let patience = 30

  init(_ workout: LiveWorkout, of recorder: SensordClient, on loop: EventLoop) {
    (self.workout, self.recorder, self.loop) = (workout, recorder, loop)
  }

  /// Ends the workout, and waits until it is stored.
  ///
  /// - Parameter recovery: Whether the recovery is recorded first; false stores the workout at once.
  /// - Returns: Whether the workout is stored; false where the task was cancelled: the recorder stores the workout all the same.
  /// - Throws: ``CommandFailure`` where somebody discards the workout, where it cannot be stored or the recorder is gone for half
  ///   a minute, among others.
  @concurrent func wait(recovery: Bool) async throws -> Bool {
    let wasOver = try await Self.isOver(workout.progress().state)
    return try await withThrowingTaskGroup(of: Bool.self) { tasks in
      tasks.addTask(executorPreference: loop) { try await isStored(recovery: recovery) }
      tasks.addTask(executorPreference: loop) { try await lookOn(wasOver: wasOver) }
      defer { tasks.cancelAll() }
      return try await tasks.next() ?? false
    }
  }

  private static func isOver(_ state: LiveWorkout.State) -> Bool { state == .recovering || state == .ending }

  @concurrent private func isStored(recovery: Bool) async throws -> Bool {
    do {
      _ = try await workout.end(recovery: recovery)
    } catch ClientError.cancelled {
      return false
    } catch ClientError.ended {
      // Another shell may have ended it at the same time.
      return try await isInStore()
    } catch ClientError.notStored {
      throw Self.notStored
    }
    return true
  }

  /// Whether the store has the workout, which is over; it was discarded otherwise, which throws.
  @concurrent private func isInStore() async throws -> Bool {
    let stored = try await SampleQuery(.identifier([workout.id])).result(for: recorder)
    guard !stored.isEmpty else { throw Self.discarded }
    return true
  }

  /// Looks at the workout each second, since a signal may be lost when the recorder restarts. Returns whether the workout is
  /// stored; false where the task was cancelled.
  @concurrent private func lookOn(wasOver: Bool) async throws -> Bool {
    let recovered = BootClock.now() + WorkoutEndOptions.longestRecovery
    var (secondsOfStoring, secondsGone) = (0, 0)
    while (try? await loop.sleep(for: .seconds(1))) != nil {
      do {
        let state: LiveWorkout.State
        do { state = try await workout.progress().state } catch ClientError.ended { return try await isInStore() }
        secondsGone = 0
        switch state {
        case .recovering:
          let left = (max(0, recovered - BootClock.now()) + 999_999) / 1_000_000
          let time = wasOver ? "" : " for \(left) s more"
          Progress.show("Recording the recovery\(time); Ctrl-C is safe, it goes on by itself")
        case .ending:
          Progress.show("Storing the workout")
          secondsOfStoring += 1
          guard secondsOfStoring < Self.patience else { throw Self.notStored }
        default: break
        }
      } catch ClientError.noBus {
        throw busGone
      } catch let error as ClientError {
        if error == .cancelled { return false }
        Progress.show("The recorder has gone; waiting for it")
        secondsGone += 1
        guard secondsGone < Self.patience else { throw Self.recorderGone }
      }
    }
    return false
  }

  private static let discarded = CommandFailure(
    .noInput, "the workout was discarded meanwhile", remedy: "nothing is stored of it but what its strap sent")
  private static let notStored = CommandFailure(
    .inputOutput, "the workout could not be stored yet", remedy: "it is safe, and the recorder tries again")
  private static let recorderGone = CommandFailure(
    .unavailable, "the recorder ended meanwhile", remedy: "the workout is safe, and stored when it runs again")

  private var busGone: CommandFailure {
    CommandFailure(
      .unavailable, "the message bus ended meanwhile",
      remedy: "the workout has ended and is stored by itself; "
        + "'sensord show \(workout.name.prefix(8))' tells when it is")
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
      let recorder = try await RunningRecorder.require(on: loop)
      let workout = try await ShellObjectKind.workout.chosen(name, of: recorder.workouts())
      if isAsked, try await !Self.consents(to: workout, on: loop) { return String?.none }
      try await workout.discard()
      return workout.name
    }
    guard let discarded else {
      StandardError.write("The workout goes on.\n")
      throw EarlierReport(status: .usage)
    }
    guard json else { return }
    let document: JSONValue = ["id": .string(discarded), "discarded": .bool(true)]
    try StandardOutput.write(document.text + "\n")
  }

  @concurrent private static func consents(to workout: LiveWorkout, on loop: EventLoop) async throws -> Bool {
    let elapsed = DurationText.text(microseconds: try await workout.elapsedTime().wholeMicroseconds)
    let input = LineInput(on: loop)
    while true {
      let start = LocalTime.minute(workout.start.microseconds)
      StandardError.write("Discard the workout of \(start), \(elapsed) long? [y/n] ")
      guard let line = await input.next() else { return false }
      if let answer = PairingDialogue.consent(String(ConfigurationSyntax.trimmed(line[...]))) {
        return answer == .accepted
      }
    }
  }
}
