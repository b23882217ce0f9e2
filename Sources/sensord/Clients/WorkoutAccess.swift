import ClientInterfaces

internal import DBus
internal import HealthModel

/// How `sensord workout` reaches the workouts of the recorder that runs.
struct WorkoutAccess {
  private let door: DoorAccess

  /// - Throws: ``CommandFailure`` where no recorder lets programs in.
  @concurrent static func find(on loop: EventLoop) async throws -> WorkoutAccess {
    let kind = DoorAccess.Kind(
      parent: ClientInterfaces.workoutObjects, interface: ClientInterfaces.workout, name: "workout",
      beginning: "started", command: "sensord workout start TYPE")
    return WorkoutAccess(door: try await DoorAccess.find(kind, on: loop))
  }

  /// The workout with this name, or the one that this user started in a shell where none is named.
  @concurrent func workout(_ name: String?) async throws -> DoorAccess.Object {
    try await door.object(named: name, severalRemedy: "name one of them with --workout")
  }

  /// All that go on, in the order of their starts.
  @concurrent func all() async throws -> [DoorAccess.Object] {
    try await door.all().sorted { ($0.start, $0.id) < ($1.start, $1.id) }
  }

  @concurrent func start(_ options: WorkoutOptions) async throws -> DoorAccess.Object {
    try await door.make(ClientInterfaces.workouts, "Begin", options.value)
  }

  /// Returns the activity's identifier.
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

  /// What is known of a workout's heart so far.
  @concurrent func heartRates(of workout: DoorAccess.Object) async throws -> WorkoutFigures {
    let type = QuantityType.heartRate
    let answer = try await door.call(workout, "Statistics", [.string(type.identifier)])
    guard let figures = answer.first.flatMap({ WorkoutFigures($0, of: type) }) else { throw DoorAccess.noSense }
    return figures
  }

  /// Where a workout is after its end.
  enum Ending {
    /// Its heart is listened to for so many microseconds more; nil where it was ended before.
    case recovering(Int64?)
    case beingStored
  }

  /// Ends a workout, and waits until it is stored.
  ///
  /// - Parameters:
  ///   - workout: Which.
  ///   - recovery: False: it is stored at once.
  ///   - loop: The loop of the connection.
  ///   - show: Told once a second what is being waited for.
  /// - Returns: Whether it is stored; false where the task was cancelled: the recorder stores it all the same.
  /// - Throws: ``CommandFailure`` where it could not be stored for half a minute, among others.
  @concurrent func end(
    _ workout: DoorAccess.Object, recovery: Bool, on loop: EventLoop, show: @Sendable (Ending) -> Void
  ) async throws -> Bool {
    let (wakes, wake) = AsyncStream.makeStream(of: Bool.self)
    // Before the end, so that the signal is not missed.
    _ = await door.connection.observeSignals {
      if $0.path == workout.path, $0.isSignal(ClientInterfaces.workout.name, "Stored") { wake.yield(true) }
    }
    _ = try await door.call(workout, "End", [WorkoutEndOptions(waitsForRecovery: recovery).value])
    let recovered = BootClock.now() + WorkoutEndOptions.longestRecovery
    let wasOver = workout.state == "recovering" || workout.state == "ending"
    let ticks = Task(executorPreference: loop) {
      repeat { wake.yield(false) } while (try? await loop.sleep(for: .seconds(1))) != nil
    }
    defer { ticks.cancel() }
    var secondsOfStoring = 0
    for await isStored in wakes {
      if isStored { return true }
      // A look besides the signal, which a restart of the recorder may swallow.
      guard let state = try await state(of: workout) else { return !Task.isCancelled }
      if state == "recovering" {
        show(.recovering(wasOver ? nil : max(0, recovered - BootClock.now())))
      } else {
        show(.beingStored)
        secondsOfStoring += 1
        guard secondsOfStoring < 30 else {
          throw CommandFailure(
            .inputOutput, "the workout could not be stored yet", remedy: "it is safe, and the recorder tries again")
        }
      }
    }
    return false
  }

  /// Nil where the workout is over, or the task was cancelled.
  @concurrent private func state(of workout: DoorAccess.Object) async throws -> String? {
    do {
      return try await door.object(at: workout.path)?.state
    } catch {
      if Task.isCancelled { return nil }
      throw CommandFailure(
        .unavailable, "the recorder ended meanwhile", remedy: "the workout is safe, and stored when it runs again")
    }
  }
}
