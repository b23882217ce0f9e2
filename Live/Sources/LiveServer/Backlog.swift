/// What waits for a slow reader: so many messages, of which the oldest go.
struct Backlog<Element> {
  private var elements: [Element] = []
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
  }

  var isEmpty: Bool { elements.isEmpty }

  mutating func append(_ element: Element) {
    if elements.count == capacity { elements.removeFirst() }
    elements.append(element)
  }

  mutating func removeAll() -> [Element] {
    defer { elements.removeAll(keepingCapacity: true) }
    return elements
  }
}
