import RecorderBus
import DBus
import FoundationEssentials
import HealthModel

/// Waits for the end of a workout, which comes later than a call may be answered.
///
/// `End` answers when the end is safe, and a signal reports the rest: `Stored`, or `Discarded` where another connection
/// did that. The signal may be missed: recorder and bus may restart meanwhile. So after a loss, and when the signal is
/// overdue, the object shows whether the workout goes on, and the store whether it has it.
struct WorkoutEnd {
  /// The microseconds that the workout may need after `End` has answered, until it is looked for: for the recovery, and
  /// then for the store.
  private static let patience: [Int64] = [WorkoutEndOptions.longestRecovery + 10_000_000, 25_000_000]
  /// Between two attempts to reach a recorder that is gone.
  private static let pause = Duration.seconds(1)

  let workout: LiveWorkout

  init(of workout: LiveWorkout) {
    self.workout = workout
  }

  @concurrent func wait(recovery: Bool) async throws(ClientError) -> UUID {
    let (path, signals, loop) = (workout.path, workout.client.signals, workout.client.link.loop)
    // Before the end, so that no signal is missed.
    var events = signals.events { message in
      message.path == path && ["Stored", "Discarded"].contains { message.isSignal(ClientInterfaces.workout.name, $0) }
    }.makeAsyncIterator()
    _ = try await workout.call("End", [WorkoutEndOptions(waitsForRecovery: recovery).value])
    for patience in Self.patience {
      let deadline = BootClock.now() + patience
      let alarm = Task(executorPreference: loop) {
        if (try? await loop.sleep(until: deadline)) != nil { signals.tell() }
      }
      defer { alarm.cancel() }
      while BootClock.now() < deadline {
        guard let event = await events.next(isolation: #isolation), !Task.isCancelled else { throw .cancelled }
        if case .signal(let message) = event {
          guard message.member == "Stored" else { throw .ended }
          return workout.id
        }
        if try await !goesOn(until: deadline) { return try await stored(until: deadline) }
      }
    }
    throw .notStored
  }

  /// Whether the workout's object is there; waits for a recorder that is gone.
  @concurrent private func goesOn(until deadline: Int64) async throws(ClientError) -> Bool {
    try await ask(until: deadline) { () throws(ClientError) in
      do throws(ClientError) {
        _ = try await workout.progress()
        return true
      } catch .ended {
        return false
      }
    }
  }

  /// The identifier of the workout, which is over: the store has it, or it was discarded. Waits for a recorder that is gone.
  @concurrent func stored(until deadline: Int64) async throws(ClientError) -> UUID {
    let found = try await ask(until: deadline) { () throws(ClientError) in
      try await SampleQuery(.identifier([workout.id])).result(for: workout.client)
    }
    guard !found.isEmpty else { throw .ended }
    return workout.id
  }

  /// Asks until there is an answer: the recorder may end between any two questions, and another take its place.
  ///
  /// The service is never started by these questions: whoever stopped it had a reason.
  @concurrent private func ask<Answer: Sendable>(
    until deadline: Int64, _ question: @concurrent () async throws(ClientError) -> Answer
  ) async throws(ClientError) -> Answer {
    while true {
      do throws(ClientError) {
        _ = try await workout.client.link.open(starting: false)
        return try await question()
      } catch {
        // A recorder that ends may also cut off its answer.
        guard error.isPassing || error == .cutOff, BootClock.now() < deadline else { throw error }
      }
      do throws(CancellationError) {
        try await workout.client.link.loop.sleep(for: Self.pause)
      } catch {
        throw .cancelled
      }
    }
  }
}
