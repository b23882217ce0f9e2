import ArgumentParser
import Documents
import HealthModel
import RecorderBus
import SensordClient
import Support

/// `sensord workout status`.
struct WorkoutStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the workouts that go on.",
    discussion: "Figures are provisional: they are computed anew when the workout is stored.")

  @Flag(help: "Print the workouts as JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let workouts = try RunningRecorder.run { recorder in
      var workouts: [ShownWorkout] = []
      for workout in try await recorder.workouts() {
        do {
          workouts.append(try await ShownWorkout.asked(of: workout))
        } catch ClientError.ended {
          // The workout was stored meanwhile.
        }
      }
      return workouts
    }
    if json { return try StandardOutput.write(JSONValue.lines(workouts.map(\.json))) }
    guard !workouts.isEmpty else { return try StandardOutput.write("No workout goes on.\n") }
    try StandardOutput.write(workouts.map(\.text).joined(separator: "\n"))
  }
}

/// A workout that goes on, for people and programs.
struct ShownWorkout {
  var name: String
  var path: String
  var sensor: String?
  var start: Timestamp
  var program: ClientIdentity
  /// Whether this user started it in a shell.
  var isOwn: Bool
  var state: String
  /// The duration without pauses, in microseconds.
  var elapsed: Int64
  var figures: WorkoutFigures

  var json: JSONValue {
    func rates(_ part: WorkoutFigures.Part?) -> JSONValue {
      guard let its = part?.statistics else { return .null }
      return [
        "average": .number(its.average), "minimum": .number(its.minimum), "maximum": .number(its.maximum),
        "mostRecent": .number(its.mostRecent),
      ]
    }
    return [
      "id": .string(name), "path": .string(path), "type": .string(figures.activityType?.description),
      "state": .string(state), "start": .string(start.iso8601()),
      "elapsedSeconds": .number(Double(elapsed / 1000) / 1000), "sensor": .string(sensor),
      "heartRate": rates(figures.workout), "activity": activity(rates), "uid": .integer(program.uid),
      "application": .string(program.application),
    ]
  }

  private func activity(_ rates: (WorkoutFigures.Part?) -> JSONValue) -> JSONValue {
    guard let type = figures.currentActivityType else { return .null }
    return [
      "type": .string(type.description),
      "elapsedSeconds": .number(figures.activity?.duration.map { Double($0.wholeMicroseconds / 1000) / 1000 }),
      "heartRate": rates(figures.activity),
    ]
  }

  /// Some lines.
  var text: String {
    let type = figures.activityType.map { "\($0), " } ?? ""
    var lines = [
      ("Workout", "\(name.prefix(8)), \(type)\(state)"),
      ("Elapsed", "\(DurationText.text(microseconds: elapsed)), since \(LocalTime.timeOfDay(start.microseconds))"),
    ]
    lines.append(("Heart rate", Self.text(figures.workout?.statistics)))
    if let type = figures.currentActivityType {
      let duration = figures.activity?.duration.map {
        ", \(DurationText.text(microseconds: $0.wholeMicroseconds))"
      }
      lines.append(("Activity", "\(type)\(duration ?? "")"))
      lines.append(("Heart rate", Self.text(figures.activity?.statistics)))
    }
    if !isOwn { lines.append(("Of", PrintableText.line("\(program.application)@\(program.uid)"))) }
    return lines.map { $0.0 + String(repeating: " ", count: 12 - $0.0.count) + $0.1 + "\n" }.joined()
  }

  private static func text(_ rates: WorkoutStatistics?) -> String {
    guard let rates, let average = rates.average, let maximum = rates.maximum else { return "none yet" }
    func rate(_ value: Double) -> String { FixedPoint.text(value, digits: 0) }
    return "average \(rate(average)), greatest \(rate(maximum))"
      + (rates.mostRecent.map { ", now \(rate($0))" } ?? "") + " beats a minute"
  }
}

extension ShownWorkout {
  /// Asks for the state and the figures of a workout.
  @concurrent fileprivate static func asked(of workout: LiveWorkout) async throws(ClientError) -> ShownWorkout {
    let (state, elapsed) = try await workout.progress()
    return ShownWorkout(
      name: workout.name, path: workout.objectPath, sensor: workout.sensor, start: workout.start,
      program: workout.program, isOwn: workout.isOwn, state: state.rawValue, elapsed: elapsed.wholeMicroseconds,
      figures: try await workout.figures(for: .heartRate))
  }
}
