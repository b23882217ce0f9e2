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
    for workout in await recorder.unstored(telling: ended) {
      registry.adopt(ClientObject(workout, connection: nil))
    }
  }

  /// Ends a workout for which nobody waits.
  func interrupt(workout identifier: UUID) {
    let recorder = recorder
    Task(executorPreference: loop) { await recorder.interruptWorkout(identifier) }
  }

  /// What became of a workout, and whose it was.
  typealias WorkoutEnd = @Sendable (UUID, ClientIdentity, WorkoutRequestFailure?) -> Void

  /// Is told by the recorder, on its thread.
  nonisolated var ended: WorkoutEnd {
    { [weak self, loop] workout, owner, failure in
      loop.execute { [weak self] in self?.assumeIsolated { $0.ended(workout, of: owner, failure) } }
    }
  }

  private func ended(_ workout: UUID, of owner: ClientIdentity, _ failure: WorkoutRequestFailure?) {
    switch failure {
    case nil: perform(registry.stored(workout, of: owner))
    case .discarded: perform(registry.discarded(workout, of: owner))
    // The recorder ends, and the next one has the workout: who looks must not think that it is over.
    default: break
    }
    settle()
  }
}

extension Recorder {
  /// The workouts that the store does not have, also those that are over: their programs may still wait for them.
  fileprivate func unstored(telling tell: @escaping Door.WorkoutEnd) -> [RunningWorkout] {
    let workouts = unstoredWorkouts
    for workout in workouts { whenStored(workout.id) { tell(workout.id, workout.owner, $0) } }
    return workouts
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
