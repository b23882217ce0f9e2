import DBus
import Synchronization

/// Tells who waits for a signal of the recorder that it came, or that the recorder has to be asked anew.
final class Signals: Sendable {
  private struct Waiter {
    var isAwaited: @Sendable (Message) -> Bool
    var event: AsyncStream<Link.Event>.Continuation
  }

  private let waiters = Mutex<[UInt64: Waiter]>([:])
  private let last = Atomic<UInt64>(0)

  /// What happened at the door.
  func note(_ event: Link.Event) {
    for waiter in waiters.withLock({ Array($0.values) }) {
      if case .signal(let message) = event, !waiter.isAwaited(message) { continue }
      waiter.event.yield(event)
    }
  }

  /// Has everybody who waits ask anew.
  func tell() {
    note(.lost)
  }

  /// The last of these signals, or of losses of the recorder, since this call; one waits at most.
  func events(_ isAwaited: @escaping @Sendable (Message) -> Bool) -> AsyncStream<Link.Event> {
    let (events, event) = AsyncStream.makeStream(of: Link.Event.self, bufferingPolicy: .bufferingNewest(1))
    let number = last.add(1, ordering: .relaxed).newValue
    waiters.withLock { $0[number] = Waiter(isAwaited: isAwaited, event: event) }
    event.onTermination = { [weak self] _ in
      _ = self?.waiters.withLock { $0.removeValue(forKey: number) }
    }
    return events
  }
}
