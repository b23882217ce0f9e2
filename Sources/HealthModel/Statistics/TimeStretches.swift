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

/// The choice of one stretch for each moment, among stretches of time that overlap.
enum OverlapResolution {
  /// A time in which one of the stretches counts.
  struct Part {
    var span: TimeSpan
    /// The place of that stretch in the order of precedence.
    var place: Int
  }

  /// The parts of time in which a stretch counts, in order of time; next to each other they may be of the same one.
  ///
  /// - Parameter spans: The stretches in order of precedence: of those that share a moment the first counts.
  /// - Returns: The parts; a time outside of all stretches has no part, nor has a stretch without a length. O(n log n).
  static func parts(of spans: [TimeSpan]) -> [Part] {
    let moments = Set(spans.flatMap { [$0.start, $0.end] }).sorted()
    let places = Dictionary(zip(moments, 0...)) { first, _ in first }
    // The stretch that counts from each moment to the next.
    var counting = [Int?](repeating: nil, count: moments.count)
    // The first moment from each one on at which no stretch counts yet, or a moment on the way to it.
    var free = Array(0...moments.count)
    func firstFree(_ moment: Int) -> Int {
      var moment = moment
      while free[moment] != moment {
        free[moment] = free[free[moment]]
        moment = free[moment]
      }
      return moment
    }
    for (place, span) in spans.enumerated() {
      guard let start = places[span.start], let end = places[span.end] else { continue }
      var moment = firstFree(start)
      while moment < end {
        counting[moment] = place
        free[moment] = moment + 1
        moment = firstFree(moment)
      }
    }
    return counting.enumerated().compactMap { moment, place in
      guard let place, let span = TimeSpan(start: moments[moment], end: moments[moment + 1]) else { return nil }
      return Part(span: span, place: place)
    }
  }
}
