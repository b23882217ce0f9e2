import HealthModel
import Synchronization

/// The live queries that wait for changes: each has one pending signal at most.
final class ChangeListeners: Sendable {
  private struct Listener {
    var continuation: AsyncStream<Void>.Continuation
    var isConcerned: @Sendable (StoreChange) -> Bool
  }

  private struct State {
    var listeners: [UInt64: Listener] = [:]
    var next: UInt64 = 0
    var isFinished = false
    var openings = 0
  }

  private let state = Mutex(State())

  /// A stream of signals for the changes that `isConcerned` accepts, until the stream and its iterator are released.
  func signals(_ isConcerned: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number: UInt64? = state.withLock { state in
      guard !state.isFinished else { return nil }
      state.next += 1
      state.listeners[state.next] = Listener(continuation: continuation, isConcerned: isConcerned)
      return state.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  /// Signals those who are concerned by one of the changes.
  func signal(_ changes: [StoreChange]) {
    for listener in state.withLock({ Array($0.listeners.values) }) where changes.contains(where: listener.isConcerned) {
      listener.continuation.yield()
    }
  }

  /// Signals all of them.
  func signalAll() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.continuation.yield() }
  }

  /// Signals all of them that another file is open now, in which change numbers mean something else.
  func signalOpening() {
    state.withLock { $0.openings += 1 }
    signalAll()
  }

  /// The number of times that another file was opened.
  var openings: Int { state.withLock { $0.openings } }

  /// Ends all streams, including future ones.
  func finish() {
    let listeners = state.withLock { state in
      defer { state.listeners = [:] }
      state.isFinished = true
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.continuation.finish() }
  }

  var count: Int { state.withLock { $0.listeners.count } }
}
