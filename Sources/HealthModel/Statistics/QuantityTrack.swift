/// The quantities of one series, in order of their starts: the input of statistics.
///
/// If the arrays differ in length, only quantities with both start and value count, and one without an end has no duration.
public struct QuantityTrack: Hashable, Sendable, Codable {
  /// Microseconds since 1970, not decreasing.
  public var starts: [Int64]
  /// The end of each quantity; empty if none has a duration.
  public var ends: [Int64]
  /// In the type's unit.
  public var values: [Double]

  /// Takes every part as it is.
  public init(starts: [Int64] = [], ends: [Int64] = [], values: [Double] = []) {
    self.starts = starts
    self.ends = ends
    self.values = values
  }

  /// How many quantities there are.
  public var count: Int { min(starts.count, values.count) }

  /// The end of a quantity, which is not before its start.
  func end(of index: Int) -> Int64 {
    index < ends.count ? max(starts[index], ends[index]) : starts[index]
  }

  /// The time that the series covers: its quantities, and the time between two that are at most `maximumGap` microseconds
  /// apart.
  package func coverage(maximumGap: Int64) -> TimeStretches {
    var coverage = TimeStretches()
    var latestEnd: Int64?
    for index in 0..<count {
      let start = starts[index]
      let end = end(of: index)
      if let latest = latestEnd, start > latest, start.subtractingSaturated(latest) <= maximumGap {
        coverage.append(from: latest, to: start)
      }
      coverage.append(from: start, to: end)
      latestEnd = max(latestEnd ?? end, end)
    }
    return coverage
  }
}
