import RecorderBus
import DBus
import FoundationEssentials
import HealthModel
import Ingestion
import Timeline

extension Door {
  /// `Workouts1`.
  func beginWorkout(_ call: ClientCall) throws(Refusal) {
    let options: WorkoutOptions
    do { options = try WorkoutOptions(call.arguments[0]) } catch { return respond(to: call, error.reply) }
    var named: String?
    if case .one(let address) = options.sensor { named = address }
    let (address, owner) = try registry.mayBegin(.workout, call.sender, of: named)
    let sensor: WorkoutSensor =
      switch options.sensor {
      case .any: .any
      case .one: address.map { .one($0) } ?? .any
      case .none: .none
      }
    Task(executorPreference: loop) { await self.begin(call, options, sensor, owner) }
  }

  private func begin(
    _ call: ClientCall, _ options: WorkoutOptions, _ sensor: WorkoutSensor, _ owner: ClientIdentity
  ) async {
    do throws(WorkoutRequestFailure) {
      let begun = try await recorder.begin(options, of: sensor, for: owner, telling: ended)
      let workout = ClientObject(begun, connection: options.endsWithClient ? call.sender : nil)
      perform(registry.began(workout, of: call.sender))
      respond(to: call, .values([.objectPath(workout.path)]))
    } catch {
      registry.beginFailed(.workout, call.sender)
      refuse(call, Refusal(error, maySeeSensors: registry.maySeeSensors(call.sender)))
    }
    settle()
  }

  /// `Workout1`.
  func answerWorkout(_ call: ClientCall) throws(Refusal) {
    guard let workout = clientObject(at: call.path, for: call.sender) else {
      return respond(to: call, Self.unknownObject)
    }
    let id = workout.identifier
    switch call.member {
    case "BeginActivity": answer(call) { (door) throws(RefusedCall) in try await door.beginActivity(call, in: id) }
    case "EndActivity":
      let time = call.arguments[0].int64 ?? 0
      change(call, id, .endActivity, at: time == 0 ? nil : Timestamp(microseconds: time))
    case "AddEvent":
      let event: EventOptions
      do { event = try EventOptions(call.arguments[0]) } catch { return respond(to: call, error.reply) }
      change(call, id, .event(event.type, over: event.span, metadata: event.metadata))
    case "Pause": change(call, id, .pause)
    case "Resume": change(call, id, .resume)
    case "AddMetadata":
      let metadata = try Self.metadata(call.arguments[0])
      change(call, id, .metadata(metadata))
    case "AddSamples": answer(call) { (door) throws(RefusedCall) in try await door.addSamples(call, to: workout) }
    case "Collect":
      try registry.collect(on: call.texts(0), off: call.texts(1), in: id)
      respond(to: call, .success)
    case "Statistics": answer(call) { (door) throws(RefusedCall) in try await door.statistics(call, of: id) }
    case "End": try endWorkout(call, id)
    case "Discard": answer(call) { (door) throws(RefusedCall) in try await door.discard(id) }
    default: respond(to: call, .unknownMethod)
    }
  }

  /// Answers at once when the stop is in the journal.
  private func endWorkout(_ call: ClientCall, _ workout: UUID) throws(Refusal) {
    let options: WorkoutEndOptions
    do { options = try WorkoutEndOptions(call.arguments[0]) } catch { return respond(to: call, error.reply) }
    registry.asksForEnd(call.sender, of: workout)
    answer(call) { (door) throws(RefusedCall) in
      try await door.asking { recorder throws(WorkoutRequestFailure) in
        try recorder.stopWorkout(workout, waitsForRecovery: options.waitsForRecovery)
      }
      return .values([.string(workout.uuidString.lowercased())])
    }
  }

  private func beginActivity(_ call: ClientCall, in workout: UUID) async throws(RefusedCall) -> Reply {
    guard let whole = await recorder.liveWorkout(workout)?.session.configuration else {
      throw RefusedCall(Refusal.finished)
    }
    let options: ActivityOptions
    do { options = try ActivityOptions(call.arguments[0], in: whole.activityType) } catch { throw RefusedCall(error) }
    let activity = UUID()
    try await asking { recorder throws(WorkoutRequestFailure) in
      try recorder.change(
        workout, .beginActivity(activity, options.configuration ?? whole, metadata: options.metadata), at: options.time)
    }
    return .values([.string(activity.uuidString.lowercased())])
  }

  /// Saves samples and collects them. They are saved only where there is room for them in the workout.
  private func addSamples(_ call: ClientCall, to workout: ClientObject) async throws(RefusedCall) -> Reply {
    let (drafts, client) = try drafts(in: call.arguments[0], of: call.sender)
    // An owner's own samples are not the program's.
    guard client == workout.owner else { throw RefusedCall(Refusal.notAuthorized) }
    // A route names a workout that is over.
    guard !drafts.contains(where: { $0.type == .workoutRoute }) else { throw RefusedCall(Refusal.invalidArgument) }
    let id = workout.identifier
    try await asking { recorder throws(WorkoutRequestFailure) in try recorder.checkRoom(for: drafts.count, in: id) }
    let saved = try await save(drafts, as: client)
    do { try await recorder.addSamples(saved, to: id) } catch {
      throw RefusedCall(Refusal(error, maySeeSensors: false))
    }
    return .values([.identifiers(saved)])
  }

  /// Adds saved samples to the workouts that collect their types. A workout that is full or over is skipped: the
  /// samples are saved all the same.
  func collect(_ saved: [(id: UUID, type: String)], of client: ClientIdentity) async {
    var wanted: [UUID: [UUID]] = [:]
    for sample in saved {
      for workout in registry.workouts(of: client, collecting: sample.type) {
        wanted[workout, default: []].append(sample.id)
      }
    }
    for (workout, samples) in wanted { try? await recorder.addSamples(samples, to: workout) }
  }

  /// The same is done for those who may read the type and for those who may not: neither answer comes sooner.
  private func statistics(_ call: ClientCall, of workout: UUID) async throws(RefusedCall) -> Reply {
    guard let type = QuantityType(identifier: call.text(0)) else { throw RefusedCall(Refusal.unknownType) }
    let found: LiveWorkoutFigures
    do { found = try await recorder.statistics(of: type, in: workout) } catch {
      throw RefusedCall(Refusal(error, maySeeSensors: false))
    }
    let session = await recorder.liveWorkout(workout)?.session
    var figures = WorkoutFigures(
      activityType: session?.configuration.activityType,
      currentActivityType: session?.currentActivity?.configuration.activityType)
    if registry.mayRead(call.sender, type.identifier) {
      figures.workout = found.workout.map { .init($0, duration: found.workoutDuration) }
      figures.activity = found.activity.map { .init($0, duration: found.activityDuration) }
    }
    return .values([figures.value])
  }

  private func discard(_ workout: UUID) async throws(RefusedCall) -> Reply {
    do { try await recorder.discardWorkout(workout) } catch {
      throw RefusedCall(Refusal(error, maySeeSensors: false))
    }
    return .success
  }

  private func change(
    _ call: ClientCall, _ workout: UUID, _ change: WorkoutChange, at time: Timestamp? = nil
  ) {
    answer(call) { (door) throws(RefusedCall) in
      try await door.asking { recorder throws(WorkoutRequestFailure) in
        try recorder.change(workout, change, at: time)
      }
      return .success
    }
  }

  /// Asks the recorder for something of a workout.
  private func asking<Result: Sendable>(
    _ body: @Sendable (isolated Recorder) throws(WorkoutRequestFailure) -> Result
  ) async throws(RefusedCall) -> Result {
    do throws(WorkoutRequestFailure) { return try await body(recorder) } catch {
      throw RefusedCall(Refusal(error, maySeeSensors: false))
    }
  }
}

extension Recorder {
  /// From its beginning on a workout is waited for: it may also end by itself, or because another begins.
  fileprivate func begin(
    _ options: WorkoutOptions, of sensor: WorkoutSensor, for owner: ClientIdentity,
    telling tell: @escaping Door.WorkoutEnd
  ) throws(WorkoutRequestFailure) -> RunningWorkout {
    let workout = try beginWorkout(
      options.configuration, of: sensor, for: owner, endsWithClient: options.endsWithClient,
      metadata: options.metadata)
    guard let begun = liveWorkout(workout) else { throw .notOpen }
    whenStored(workout) { tell(workout, owner, $0) }
    return begun
  }
}

extension Refusal {
  /// Only clients that may know the sensors receive their addresses, and whether there are none or several.
  init(_ failure: WorkoutRequestFailure, maySeeSensors: Bool) {
    switch failure {
    case .notRecording: self = .notRecording
    case .noSession(let failure): self = Refusal(failure, maySeeSensors: maySeeSensors)
    case .notOpen, .discarded: self = .finished
    case .invalid(let error): self = .workout(error)
    case .invalidTime: self = .invalidTime
    case .unknownSample: self = .unknownSample
    case .refused(let problem): self = Refusal(problem)
    case .journal, .store, .notStored: self = .notStored
    }
  }
}

// The object of a live workout on the bus: its properties, and the signals about it.

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

  /// A report of the end of a workout, with its owner.
  typealias WorkoutEnd = @Sendable (UUID, ClientIdentity, WorkoutRequestFailure?) -> Void

  /// The closure that the recorder calls, on its thread.
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
