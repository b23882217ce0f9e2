import Synchronization

/// Hands the events from the recorder's thread to one observer, on whatever thread that is.
final class EventQueue: Sendable {
  private struct State {
    var buffer: EventBuffer
    var waiting: CheckedContinuation<RecorderEvent?, Never>?
    var isFinished = false
  }

  let interests: RecorderEvent.Interests
  private let state: Mutex<State>

  init(_ interests: RecorderEvent.Interests, capacity: Int) {
    self.interests = interests
    state = Mutex(State(buffer: EventBuffer(capacity: capacity)))
  }

  /// Adds an event; never waits for the observer.
  func append(_ event: RecorderEvent) {
    let waiting = state.withLock { state -> CheckedContinuation<RecorderEvent?, Never>? in
      guard !state.isFinished else { return nil }
      defer { state.waiting = nil }
      if state.waiting == nil { state.buffer.append(event) }
      return state.waiting
    }
    waiting?.resume(returning: event)
  }

  /// Nothing follows; what waits is still handed over.
  func finish() {
    let waiting = state.withLock { state in
      state.isFinished = true
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: nil)
  }

  /// The next event; nil where none follows, or the task is cancelled.
  func next() async -> RecorderEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> RecorderEvent?? in
          if let event = state.buffer.next() { return .some(event) }
          if state.isFinished { return .some(nil) }
          state.waiting = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      finish()
    }
  }
}
