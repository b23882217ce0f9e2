import Synchronization

/// The events of a recorder as one observer gets them, from the moment it was asked for to the end of the recording.
///
/// At most ``capacity`` events wait for the observer; events for which it is too slow are lost, and
/// ``RecorderEvent/Kind/missed(_:)`` has their number. A slow observer never holds up the recorder, and another
/// observer loses nothing by it. One task iterates over the sequence, once. The observation ends when the sequence is
/// released.
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

/// Everybody who observes a recorder.
final class RecorderObservers: Sendable {
  private let queues = Mutex<[EventQueue]>([])
  /// The kinds of events that any of them wants: the recorder asks for this at each notification, and makes no event
  /// for nobody.
  private let wanted = Atomic<UInt8>(0)
  private let isFinished = Atomic<Bool>(false)

  /// Whether anybody wants one of these.
  func want(_ interests: RecorderEvent.Interests) -> Bool {
    wanted.load(ordering: .relaxed) & interests.rawValue != 0
  }

  /// One more observer, from any thread.
  func add(_ interests: RecorderEvent.Interests, capacity: Int) -> RecorderEvents {
    let queue = EventQueue(interests, capacity: capacity)
    change { $0.append(queue) }
    if isFinished.load(ordering: .sequentiallyConsistent) { queue.finish() }
    return RecorderEvents(queue, in: self)
  }

  func remove(_ queue: EventQueue) {
    change { $0.removeAll { $0 === queue } }
  }

  func publish(_ event: RecorderEvent?) {
    guard let event else { return }
    let interest = event.kind.interest
    for queue in queues.withLock({ $0 }) where !queue.interests.isDisjoint(with: interest) { queue.append(event) }
  }

  /// The recording has ended.
  func finish() {
    isFinished.store(true, ordering: .sequentiallyConsistent)
    for queue in queues.withLock({ $0 }) { queue.finish() }
  }

  private func change(_ body: (inout [EventQueue]) -> Void) {
    queues.withLock { queues in
      body(&queues)
      let interests = queues.reduce(into: RecorderEvent.Interests()) { $0.formUnion($1.interests) }
      wanted.store(interests.rawValue, ordering: .relaxed)
    }
  }
}

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

/// The events that wait for one observer: at most a given number. If there are more, the oldest are dropped, and the
/// observer receives their number first. Pure.
struct EventBuffer {
  private let capacity: Int
  /// A ring of `count` events from `first` on; it grows up to the capacity.
  private var slots: [RecorderEvent?] = []
  private var first = 0
  private var count = 0
  private var missed: RecorderEvent?

  /// - Parameter capacity: The greatest number of events that wait; at least 1.
  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  mutating func append(_ event: RecorderEvent) {
    if count == capacity, let oldest = removeFirst() { noteMissed(oldest) }
    let index = (first + count) % capacity
    if index == slots.count { slots.append(event) } else { slots[index] = event }
    count += 1
  }

  /// Takes the next event out: the number of those that are gone, then the oldest that is left; nil where nothing waits.
  mutating func next() -> RecorderEvent? {
    missed.take() ?? removeFirst()
  }

  private mutating func removeFirst() -> RecorderEvent? {
    guard count > 0 else { return nil }
    defer {
      first = (first + 1) % capacity
      count -= 1
    }
    return slots[first].take()
  }

  private mutating func noteMissed(_ event: RecorderEvent) {
    var number = 1
    if case .missed(let before) = missed?.kind { number += before }
    missed = RecorderEvent(.missed(number), at: event.time)
  }
}
