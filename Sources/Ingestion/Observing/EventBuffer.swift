/// What waits for one observer: at most a given number of events. Where there are more the oldest go, and their number is
/// what the observer gets first. Pure.
struct EventBuffer {
  private let capacity: Int
  /// A ring of `count` events from `first` on; it grows up to the capacity.
  private var slots: [RecorderEvent?] = []
  private var first = 0
  private var count = 0
  private var missed: RecorderEvent?

  /// - Parameter capacity: How many events wait at most; at least 1.
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
