/// The quantities of one series, in order of their starts: what statistics are computed from.
///
/// Where the columns are not of one length, a quantity has both start and value, and one without an end lasts no time.
public struct QuantityTrack: Hashable, Sendable, Codable {
  /// Microseconds since 1970, not decreasing.
  public var starts: [Int64]
  /// The end of each, or empty where none has a duration.
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

  /// The time that the series speaks for: its quantities, and what lies between two that are no further apart than
  /// `maximumGap` microseconds.
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
