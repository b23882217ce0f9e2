import ClientInterfaces
import DBus
import Synchronization

/// Tells who waits that the owner may have decided, or that the recorder has to be asked anew.
final class Decisions: Sendable {
  private let waiters = Mutex<[UInt64: AsyncStream<Void>.Continuation]>([:])
  private let last = Atomic<UInt64>(0)

  /// What happened at the door.
  func note(_ event: Link.Event) {
    if case .signal(let message) = event, !message.isSignal(ClientInterfaces.authorization.name, "Decided") { return }
    tell()
  }

  /// Has everybody who waits ask anew.
  func tell() {
    for waiter in waiters.withLock({ Array($0.values) }) { waiter.yield() }
  }

  /// A stream that has an element whenever something may have been decided since this call.
  func changes() -> AsyncStream<Void> {
    let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = last.add(1, ordering: .relaxed).newValue
    waiters.withLock { $0[number] = change }
    change.onTermination = { [weak self] _ in
      _ = self?.waiters.withLock { $0.removeValue(forKey: number) }
    }
    return changes
  }
}
