import RecorderBus

internal import ArgumentParser
internal import DBus
internal import Documents
internal import HealthModel
internal import Reports
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
    let workouts = try CommandLoop.run(on: EventLoop()) { loop in
      let access = try await WorkoutAccess.find(on: loop)
      var workouts: [ShownWorkout] = []
      for workout in try await access.all() {
        do {
          workouts.append(ShownWorkout(workout, try await access.heartRates(of: workout)))
        } catch let failure as CommandFailure where failure.status == .noInput {
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
  private var workout: DoorAccess.Object
  private var figures: WorkoutFigures

  init(_ workout: DoorAccess.Object, _ figures: WorkoutFigures) {
    self.workout = workout
    self.figures = figures
  }

  private var elapsed: Int64 { workout.properties["Elapsed"]?.int64 ?? 0 }

  var json: JSONValue {
    func rates(_ part: WorkoutFigures.Part?) -> JSONValue {
      guard let its = part?.statistics else { return .null }
      return [
        "average": .number(its.average), "minimum": .number(its.minimum), "maximum": .number(its.maximum),
        "mostRecent": .number(its.mostRecent),
      ]
    }
    return [
      "id": .string(workout.id), "path": .string(workout.path.text),
      "type": .string(figures.activityType?.description), "state": .string(workout.state),
      "start": .string(Timestamp(microseconds: workout.start).iso8601()),
      "elapsedSeconds": .number(Double(elapsed / 1000) / 1000),
      "sensor": .string(workout.sensor.isEmpty ? nil : workout.sensor), "heartRate": rates(figures.workout),
      "activity": activity(rates), "uid": .integer(workout.uid), "application": .string(workout.application),
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
      ("Workout", "\(workout.id.prefix(8)), \(type)\(workout.state)"),
      ("Elapsed", "\(DurationText.text(microseconds: elapsed)), since \(LocalTime.timeOfDay(workout.start))"),
    ]
    lines.append(("Heart rate", Self.text(figures.workout?.statistics)))
    if let type = figures.currentActivityType {
      let duration = figures.activity?.duration.map {
        ", \(DurationText.text(microseconds: $0.wholeMicroseconds))"
      }
      lines.append(("Activity", "\(type)\(duration ?? "")"))
      lines.append(("Heart rate", Self.text(figures.activity?.statistics)))
    }
    if !workout.isOwn { lines.append(("Of", PrintableText.line("\(workout.application)@\(workout.uid)"))) }
    return lines.map { $0.0 + String(repeating: " ", count: 12 - $0.0.count) + $0.1 + "\n" }.joined()
  }

  private static func text(_ rates: WorkoutStatistics?) -> String {
    guard let rates, let average = rates.average, let maximum = rates.maximum else { return "none yet" }
    func rate(_ value: Double) -> String { FixedPoint.text(value, digits: 0) }
    return "average \(rate(average)), greatest \(rate(maximum))"
      + (rates.mostRecent.map { ", now \(rate($0))" } ?? "") + " beats a minute"
  }
}
