import Synchronization

/// The events of a recorder as one observer gets them, from the moment it was asked for to the end of the recording.
///
/// At most ``capacity`` events wait for the observer; what it is too slow for is lost, and ``RecorderEvent/Kind/missed(_:)``
/// says how many. It never holds up the recorder, and another observer loses nothing by it. One task iterates over it, once.
/// Who lets go of it observes no more.
public struct RecorderEvents: AsyncSequence, Sendable {
  /// As many events as wait by default: those of ten seconds of four sensors.
  public static let standardCapacity = 128

  let queue: EventQueue
  /// Ends the observation when the last copy is gone.
  private let lease: Lease

  init(_ queue: EventQueue, in observers: RecorderObservers) {
    self.queue = queue
    lease = Lease(queue, observers)
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(queue: queue, lease: lease)
  }

  public struct Iterator: AsyncIteratorProtocol {
    let queue: EventQueue
    let lease: Lease

    /// The next event; nil when the recording has ended or the task is cancelled.
    public mutating func next() async -> RecorderEvent? {
      await queue.next()
    }
  }

  final class Lease: Sendable {
    private let queue: EventQueue
    private let observers: RecorderObservers

    init(_ queue: EventQueue, _ observers: RecorderObservers) {
      self.queue = queue
      self.observers = observers
    }

    deinit {
      observers.remove(queue)
    }
  }
}
