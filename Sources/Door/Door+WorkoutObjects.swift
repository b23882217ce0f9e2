import Clients
import DBus
import FoundationEssentials
import HealthModel
import Ingestion

// What stands on the bus of a live workout, and how it goes.

extension Door {
  /// `Id`, `Sensor`, `Start`, `State`, `Elapsed`, `Uid` and `Application` of a workout that the caller sees.
  func readWorkout(
    at path: ObjectPath, for name: String, _ body: @escaping @Sendable (isolated Door, [String: Value]) -> Void
  ) {
    guard let workout = clientObject(at: path, for: name) else { return body(self, [:]) }
    Task(executorPreference: loop) { await self.read(workout, for: name, body) }
  }

  private func read(
    _ workout: ClientObject, for name: String, _ body: @Sendable (isolated Door, [String: Value]) -> Void
  ) async {
    let live = await recorder.liveWorkout(workout.identifier)
    var values = properties(of: workout, for: name)
    // The clock may have been set since it began.
    if let start = live?.session.start { values["Start"] = .int64(start.microseconds) }
    values["State"] = .string(live?.word ?? "ending")
    values["Elapsed"] = .int64(live?.elapsedTime.wholeMicroseconds ?? 0)
    body(self, values)
  }

  /// Takes over the workouts of an earlier run of the recorder.
  func adoptWorkouts() async {
    for running in await recorder.runningWorkouts where !running.endsWithClient {
      let workout = ClientObject(running, connection: nil)
      registry.adopt(workout)
      follow(workout)
    }
  }

  /// Ends a workout for which nobody waits.
  func interrupt(workout identifier: UUID) {
    let recorder = recorder
    Task(executorPreference: loop) { await recorder.interruptWorkout(identifier) }
  }

  /// From its beginning on a workout is waited for: it may also end by itself, or because another begins.
  func follow(_ workout: ClientObject) {
    Task(executorPreference: loop) { await self.waitForEnd(of: workout) }
  }

  private func waitForEnd(of workout: ClientObject) async {
    do throws(WorkoutRequestFailure) {
      try await recorder.workoutStored(workout.identifier)
      perform(registry.stored(workout.identifier, of: workout.owner))
    } catch {
      // Discarded; else the recorder ends, and the next one has the workout.
      registry.ended(workout.identifier)
    }
    settle()
  }
}

extension ClientObject {
  /// A workout that the recorder has begun.
  init(_ running: RunningWorkout, connection: String?) {
    self.init(
      .workout, running.id, of: running.owner, sensor: running.sensor,
      start: running.session.start?.microseconds ?? 0, connection: connection)
  }
}

extension RunningWorkout {
  /// The state as the bus shows it.
  fileprivate var word: String {
    switch session.state {
    case .paused: "paused"
    case .stopped: "recovering"
    case .ended: "ending"
    case .notStarted, .prepared, .running: "running"
    }
  }
}
