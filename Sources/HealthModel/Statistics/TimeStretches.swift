/// A set of moments as closed intervals of microseconds: sorted, and not touching each other.
package struct TimeStretches: Hashable, Sendable {
  package private(set) var stretches: [ClosedRange<Int64>] = []

  package init() {}

  package var isEmpty: Bool { stretches.isEmpty }

  /// Appends an interval that starts at or after the start of the last one.
  package mutating func append(from start: Int64, to end: Int64) {
    if let last = stretches.last, start <= last.upperBound {
      stretches[stretches.count - 1] = last.lowerBound...max(last.upperBound, end)
    } else {
      stretches.append(start...max(start, end))
    }
  }

  /// Adds all of another set.
  package mutating func formUnion(_ other: TimeStretches) {
    guard !other.isEmpty else { return }
    let all = (stretches + other.stretches).sorted { $0.lowerBound < $1.lowerBound }
    stretches = []
    for stretch in all { append(from: stretch.lowerBound, to: stretch.upperBound) }
  }

  /// The index of the first stretch that ends at or after `moment`.
  private func firstIndex(endingFrom moment: Int64) -> Int {
    var low = 0
    var high = stretches.count
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].upperBound < moment { low = middle + 1 } else { high = middle }
    }
    return low
  }

  package func contains(_ moment: Int64) -> Bool {
    let index = firstIndex(endingFrom: moment)
    return index < stretches.count && stretches[index].lowerBound <= moment
  }

  /// Calls `body` with each part of `start..<end` that is not in the set.
  package func forEachFreePart(from start: Int64, to end: Int64, _ body: (Int64, Int64) -> Void) {
    guard !stretches.isEmpty else { return body(start, end) }
    var position = start
    var index = firstIndex(endingFrom: start)
    while index < stretches.count, stretches[index].lowerBound < end {
      if stretches[index].lowerBound > position { body(position, stretches[index].lowerBound) }
      position = max(position, stretches[index].upperBound)
      index += 1
    }
    if position < end { body(position, end) }
  }
}
