/// Deadlines in order, as a binary heap. Equal deadlines keep the order in which they were added.
struct TimerQueue {
  private struct Entry {
    var deadline: Int64
    var identifier: UInt64

    func precedes(_ other: Entry) -> Bool {
      deadline != other.deadline ? deadline < other.deadline : identifier < other.identifier
    }
  }

  private var heap: [Entry] = []
  private var handlers: [UInt64: () -> Void] = [:]

  var count: Int { handlers.count }

  /// The earliest deadline of a timer that was not cancelled.
  mutating func nextDeadline() -> Int64? {
    while let first = heap.first, handlers[first.identifier] == nil { removeFirst() }
    return heap.first?.deadline
  }

  mutating func insert(_ deadline: Int64, identifier: UInt64, handler: @escaping () -> Void) {
    handlers[identifier] = handler
    heap.append(Entry(deadline: deadline, identifier: identifier))
    siftUp(heap.count - 1)
  }

  mutating func cancel(_ identifier: UInt64) {
    guard handlers.removeValue(forKey: identifier) != nil else { return }
    // Cancelled entries stay in the heap until they are due; most calls are answered long before their timeout.
    if heap.count > 64, heap.count > handlers.count * 2 { compact() }
  }

  /// Removes and returns the first timer that is due at `instant`.
  mutating func popDue(at instant: Int64) -> (() -> Void)? {
    guard let deadline = nextDeadline(), deadline <= instant, let first = heap.first else { return nil }
    removeFirst()
    return handlers.removeValue(forKey: first.identifier)
  }

  private mutating func compact() {
    heap.removeAll { handlers[$0.identifier] == nil }
    // A sorted array is a heap.
    heap.sort { $0.precedes($1) }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    siftDown()
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].precedes(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var least = parent
      for child in (2 * parent + 1)...(2 * parent + 2)
      where child < heap.count && heap[child].precedes(heap[least]) {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
