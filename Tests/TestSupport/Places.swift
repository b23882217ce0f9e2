import Synchronization

/// Places for so many at a time; others wait, the first first.
public final class Places: Sendable {
  private let state: Mutex<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

  public init(_ count: Int) {
    state = Mutex((count, []))
  }

  /// A place, which is free again when it is released.
  public final class Place: Sendable {
    private let places: Places

    fileprivate init(of places: Places) {
      self.places = places
    }

    deinit { places.giveBack() }
  }

  /// Waits for a place.
  public func take() async -> Place {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
    return Place(of: self)
  }

  private func giveBack() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
