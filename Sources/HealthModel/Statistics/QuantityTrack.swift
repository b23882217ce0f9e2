/// The quantities of one series, in order of their starts: what statistics are computed from.
public struct QuantityTrack: Hashable, Sendable {
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

  func end(of index: Int) -> Int64 {
    ends.isEmpty ? starts[index] : ends[index]
  }

  /// The time that the series speaks for: its quantities, and what lies between two that are no further apart than
  /// `maximumGap` microseconds.
  package func coverage(maximumGap: Int64) -> TimeStretches {
    var coverage = TimeStretches()
    var latestEnd: Int64?
    for index in starts.indices {
      let start = starts[index]
      let end = end(of: index)
      if let latest = latestEnd, start > latest, start &- latest <= maximumGap {
        coverage.append(from: latest, to: start)
      }
      coverage.append(from: start, to: end)
      latestEnd = max(latestEnd ?? end, end)
    }
    return coverage
  }
}
