internal import Synchronization

/// Calls a closure when a number of things have happened.
final class Barrier: Sendable {
  private let missing: Mutex<Int>
  private let completion: @Sendable () -> Void

  init(_ count: Int, _ completion: @escaping @Sendable () -> Void) {
    missing = Mutex(count)
    self.completion = completion
  }

  func arrive() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    if isLast { completion() }
  }
}
