/// The last twelve intervals of a run, with which the live flags compare the next one.
struct RecentIntervals: Sendable {
  private var ticks: [UInt16] = []
  private var next = 0

  private static let capacity = 12
  /// With fewer intervals there is no telling what is long.
  private static let fewest = 5

  mutating func append(_ rrTicks: UInt16) {
    if ticks.count < Self.capacity {
      ticks.append(rrTicks)
    } else {
      ticks[next] = rrTicks
    }
    next = (next + 1) % Self.capacity
  }

  /// The mean of the intervals, in ticks; nil where there are too few.
  var mean: Double? {
    guard ticks.count >= Self.fewest else { return nil }
    return Double(ticks.reduce(0) { $0 + Int($1) }) / Double(ticks.count)
  }

  /// Whether an interval is longer than `ratio` medians.
  func isLong(_ rrTicks: UInt16, ratio: Double) -> Bool {
    guard ticks.count >= Self.fewest else { return false }
    // Longer than `ratio` times at least half of them: equivalent to `ratio` medians, without sorting.
    let shorter = ticks.count { Double(rrTicks) > ratio * Double($0) }
    return 2 * shorter > ticks.count
  }

  /// Whether an interval is shorter than `ratio` medians.
  func isShort(_ rrTicks: UInt16, ratio: Double) -> Bool {
    guard ticks.count >= Self.fewest else { return false }
    let longer = ticks.count { Double(rrTicks) < ratio * Double($0) }
    return 2 * longer > ticks.count
  }
}
