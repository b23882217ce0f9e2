import Clients
import DBus
import FoundationEssentials

// Calls that are answered when something is stored, or after 20 s that it is not yet: callers give up after 25 s by habit.

extension Door {
  private static let patience: Duration = .seconds(20)

  /// Keeps a call until ``stored(_:_:)``; returns its number.
  func waitForStore(_ call: ClientCall) -> UInt64 {
    lastWaiting += 1
    let number = lastWaiting
    let timer = loop.schedule(after: Self.patience) { [weak self] in
      self?.assumeIsolated { door in
        guard let waiting = door.waiting.removeValue(forKey: number) else { return }
        door.refuse(waiting.call, .notStored)
      }
    }
    waiting[number] = (call.message, timer)
    return number
  }

  /// Answers a call that waits; does nothing where it has been answered.
  func stored(_ number: UInt64, _ reply: Reply) {
    guard let waiting = waiting.removeValue(forKey: number) else { return }
    loop.cancel(waiting.timer)
    respond(to: waiting.call, reply)
  }
}

extension Reply {
  static func refusal(_ refusal: Refusal) -> Reply { .error(name: refusal.name, message: refusal.message) }
}
