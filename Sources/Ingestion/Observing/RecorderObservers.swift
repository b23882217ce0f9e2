import Synchronization

/// Everybody who observes a recorder.
final class RecorderObservers: Sendable {
  private let queues = Mutex<[EventQueue]>([])
  /// What any of them wants: the recorder asks this for each notification, and works nothing out for nobody.
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

  func publish(_ event: RecorderEvent) {
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
