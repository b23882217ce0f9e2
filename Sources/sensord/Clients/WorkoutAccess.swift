import RecorderBus

internal import DBus
internal import HealthModel
internal import Reports

/// Access of `sensord workout` to the workouts of the running recorder.
struct WorkoutAccess {
  private let door: DoorAccess

  /// - Throws: ``CommandFailure`` where no recorder lets programs in.
  @concurrent static func find(on loop: EventLoop) async throws -> WorkoutAccess {
    let kind = DoorAccess.Kind(
      parent: ClientInterfaces.workoutObjects, interface: ClientInterfaces.workout, name: "workout",
      beginning: "started", command: "sensord workout start TYPE")
    return WorkoutAccess(door: try await DoorAccess.find(kind, on: loop))
  }

  /// The workout with this name, or without a name the one that this user started in a shell.
  @concurrent func workout(_ name: String?) async throws -> DoorAccess.Object {
    try await door.object(named: name, severalRemedy: "name one of them with --workout")
  }

  /// All workouts that go on, in the order of their starts.
  @concurrent func all() async throws -> [DoorAccess.Object] {
    try await door.all().sorted { ($0.start, $0.id) < ($1.start, $1.id) }
  }

  @concurrent func start(_ options: WorkoutOptions) async throws -> DoorAccess.Object {
    try await door.make(ClientInterfaces.workouts, "Begin", options.value)
  }

  /// Begins an activity, and returns its identifier.
  @concurrent func beginActivity(_ workout: DoorAccess.Object, _ options: ActivityOptions) async throws -> String {
    guard let id = try await door.call(workout, "BeginActivity", [options.value]).first?.string else {
      throw DoorAccess.noSense
    }
    return id
  }

  @concurrent func endActivity(_ workout: DoorAccess.Object) async throws {
    _ = try await door.call(workout, "EndActivity", [.int64(0)])
  }

  @concurrent func add(_ event: EventOptions, to workout: DoorAccess.Object) async throws {
    _ = try await door.call(workout, "AddEvent", [event.value])
  }

  @concurrent func pause(_ workout: DoorAccess.Object) async throws {
    _ = try await door.call(workout, "Pause")
  }

  @concurrent func resume(_ workout: DoorAccess.Object) async throws {
    _ = try await door.call(workout, "Resume")
  }

  @concurrent func discard(_ workout: DoorAccess.Object) async throws {
    _ = try await door.call(workout, "Discard")
  }

  /// The figures of a workout's heart rate so far.
  @concurrent func heartRates(of workout: DoorAccess.Object) async throws -> WorkoutFigures {
    let type = QuantityType.heartRate
    let answer = try await door.call(workout, "Statistics", [.string(type.identifier)])
    guard let figures = answer.first.flatMap({ WorkoutFigures($0, of: type) }) else { throw DoorAccess.noSense }
    return figures
  }

  /// The state of a workout after its end.
  enum Ending {
    /// The heart rate is recorded for so many microseconds more; nil where the workout was ended before.
    case recovering(Int64?)
    case beingStored
    /// The recorder has gone, and may come back.
    case recorderGone
  }

  /// The events that arrive while a command waits until the workout is stored.
  private enum News {
    case stored, discarded
    /// The object of the workout is gone.
    case over
    /// A second has passed.
    case tick
  }

  /// The seconds that a command waits for a recorder that is gone or cannot store the workout.
  private static let patience = 30

  /// Ends a workout, and waits until it is stored.
  ///
  /// - Parameters:
  ///   - workout: The workout to end.
  ///   - recovery: Whether the recovery is recorded first; false stores the workout at once.
  ///   - loop: The loop of the connection.
  ///   - show: Called once a second with the state that the command waits in.
  /// - Returns: Whether the workout is stored; false where the task was cancelled: the recorder stores the workout all the same.
  /// - Throws: ``CommandFailure`` where somebody discards the workout, where it cannot be stored or the recorder is gone for half
  ///   a minute, among others.
  @concurrent func end(
    _ workout: DoorAccess.Object, recovery: Bool, on loop: EventLoop, show: @Sendable (Ending) -> Void
  ) async throws -> Bool {
    let (news, tell) = AsyncStream.makeStream(of: News.self)
    // Before the end, so that the signal is not missed.
    _ = await door.connection.observeSignals { message in
      guard message.path == workout.path else { return }
      if message.isSignal(ClientInterfaces.workout.name, "Stored") { tell.yield(.stored) }
      if message.isSignal(ClientInterfaces.workout.name, "Discarded") { tell.yield(.discarded) }
    }
    _ = try await door.call(workout, "End", [WorkoutEndOptions(waitsForRecovery: recovery).value])
    let recovered = BootClock.now() + WorkoutEndOptions.longestRecovery
    let wasOver = workout.state == "recovering" || workout.state == "ending"
    let ticks = Task(executorPreference: loop) {
      repeat { tell.yield(.tick) } while (try? await loop.sleep(for: .seconds(1))) != nil
    }
    defer { ticks.cancel() }
    var (secondsOfStoring, secondsGone) = (0, 0)
    for await its in news {
      switch its {
      case .stored: return true
      case .discarded: throw Self.discarded
      case .over:
        // A restarted recorder may store the workout before this program receives signals again.
        guard try await door.isStored(workout) else { throw Self.discarded }
        return true
      case .tick:
        // A query besides the signal, which is lost when the recorder restarts.
        switch await state(of: workout) {
        // Events from before that come first.
        case .success(nil): tell.yield(.over)
        case .success("recovering"?):
          secondsGone = 0
          show(.recovering(wasOver ? nil : max(0, recovered - BootClock.now())))
        case .success:
          show(.beingStored)
          secondsGone = 0
          secondsOfStoring += 1
          guard secondsOfStoring < Self.patience else { throw Self.notStored }
        case .failure:
          if Task.isCancelled { return false }
          guard await door.connection.isConnected else { throw Self.busGone(workout) }
          show(.recorderGone)
          secondsGone += 1
          guard secondsGone < Self.patience else { throw Self.recorderGone }
        }
      }
    }
    return false
  }

  /// Nil where the workout is over.
  @concurrent private func state(of workout: DoorAccess.Object) async -> Result<String?, any Error> {
    do { return .success(try await door.object(at: workout.path)?.state) } catch { return .failure(error) }
  }

  private static let discarded = CommandFailure(
    .noInput, "the workout was discarded meanwhile", remedy: "nothing is stored of it but what its strap sent")
  private static let notStored = CommandFailure(
    .inputOutput, "the workout could not be stored yet", remedy: "it is safe, and the recorder tries again")
  private static let recorderGone = CommandFailure(
    .unavailable, "the recorder ended meanwhile", remedy: "the workout is safe, and stored when it runs again")

  private static func busGone(_ workout: DoorAccess.Object) -> CommandFailure {
    CommandFailure(
      .unavailable, "the message bus ended meanwhile",
      remedy: "the workout has ended and is stored by itself; 'sensord show \(workout.id.prefix(8))' tells when it is")
  }
}
