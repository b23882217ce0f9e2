import Synchronization

/// Who wants to know when the store changes: a signal each, which does not pile up.
final class ChangeListeners: Sendable {
  private struct State {
    var continuations: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var next: UInt64 = 0
    var isFinished = false
  }

  private let state = Mutex(State())

  /// Signals from now on, until nobody holds the stream or its iterator any more.
  func signals() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number: UInt64? = state.withLock { state in
      guard !state.isFinished else { return nil }
      state.next += 1
      state.continuations[state.next] = continuation
      return state.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.continuations.removeValue(forKey: number) }
    }
    return stream
  }

  func signal() {
    let continuations = state.withLock { Array($0.continuations.values) }
    for continuation in continuations { continuation.yield() }
  }

  /// Ends every stream, those to come too.
  func finish() {
    let continuations = state.withLock { state in
      defer { state.continuations = [:] }
      state.isFinished = true
      return Array(state.continuations.values)
    }
    for continuation in continuations { continuation.finish() }
  }

  var count: Int { state.withLock { $0.continuations.count } }
}
