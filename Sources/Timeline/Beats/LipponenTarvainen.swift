/// Artefacts in a series of intervals, by J. A. Lipponen and M. P. Tarvainen, "A robust algorithm for heart rate variability
/// time series artefact correction using novel beat classification", 2019 (doi 10.1080/03091902.2019.1640306).
///
/// Two series are examined: differences of neighbouring intervals, and distances from a running median. Both are measured
/// in units of a threshold that follows their own spread: α times half the distance between the quartiles of the 91 values
/// around. Only the classification is used: nothing is corrected.
///
/// Four additions are ours (Documentation/decisions.md). First, an interval that differs by less
/// than a tenth is no artefact, however even the others are. Second, a threshold is at least 1.25 upper quartiles: where
/// nearly all differences are equally large, as in an alternating rhythm, the quartiles coincide and each difference would
/// be an outlier. For normally distributed differences α·QD is 1.9 upper quartiles, so this floor has no effect there.
/// Third, an interval within a tenth of its running median is normal whatever its neighbours are (breathing). Fourth, a
/// long and a short interval are a late beat only if together they are two medians, to a tenth of one; otherwise a beat was
/// missed and an extra detection follows. The last two intervals are judged too, with the series reflected at its end.
struct LipponenTarvainen {
  enum Kind: UInt8 {
    case normal
    /// The interval *after* an early beat. The ectopic beat itself ends the interval before it.
    case ectopic
    /// About twice as long as it should be.
    case missed
    /// Together with the next interval as long as one should be.
    case extra
    /// Too long or too short in another way.
    case longOrShort
  }

  /// α of the paper.
  private static let alpha = 5.2
  private static let slope = 0.13
  private static let intercept = 0.17
  private static let medianWindow = 11
  /// With fewer intervals a spread cannot be computed.
  private static let fewest = 12
  /// The floors: for both thresholds in upper quartiles, and for each of them in median intervals.
  private static let quartileFloor = 1.25
  private static let differenceFloor = 0.1
  /// A distance is outlying from three of these on. The distance of a short interval counts twice, so an interval is short
  /// when it lacks a tenth.
  private static let distanceFloor = 0.2 / 3
  /// In ticks, for medians of 0; a tenth of a millisecond.
  private static let leastThreshold = 0.1024

  private let intervals: [Int]
  private let medians: [Int]
  /// Differences from the interval before, and distances from the median: in ticks, not yet divided by their thresholds.
  private var differences: Deviations
  private var distances: Deviations
  private(set) var kinds: [Kind]

  /// Classifies successive intervals of one run, in ticks of 1/1024 s.
  init(_ rrTicks: ArraySlice<UInt16>) {
    let count = rrTicks.count
    kinds = [Kind](repeating: .normal, count: count)
    intervals = rrTicks.map(Int.init)
    guard count >= Self.fewest else {
      (medians, differences, distances) = ([], Deviations([], floor: 0), Deviations([], floor: 0))
      return
    }
    medians = RunningMedian.medians(intervals, window: Self.medianWindow)
    // The first interval has none before it. It gets the mean of the others, as in the paper's own implementation.
    var differences = [(intervals[count - 1] - intervals[0]) / (count - 1)]
    differences.reserveCapacity(count)
    for index in 1..<count { differences.append(intervals[index] - intervals[index - 1]) }
    var distances: [Int] = []
    distances.reserveCapacity(count)
    for index in 0..<count {
      let distance = intervals[index] - medians[index]
      distances.append(distance < 0 ? 2 * distance : distance)
    }
    self.differences = Deviations(differences, floor: Self.differenceFloor)
    self.distances = Deviations(distances, floor: Self.distanceFloor)
    classify()
  }

  /// Deviations of a series, and the thresholds that follow their spread.
  ///
  /// Most deviations are below the floor of the threshold; the spread is computed only for the others.
  private struct Deviations {
    let values: [Int]
    /// In median intervals.
    let floor: Double
    /// The thresholds computed so far; 0 for the others.
    private var thresholds: [Double]
    private var quartiles: RunningQuartiles

    init(_ values: [Int], floor: Double) {
      self.values = values
      self.floor = floor
      thresholds = [Double](repeating: 0, count: values.count)
      quartiles = RunningQuartiles(values)
    }

    /// The least possible threshold where the median is this.
    func leastThreshold(_ median: Int) -> Double {
      max(floor * Double(median), LipponenTarvainen.leastThreshold)
    }

    mutating func threshold(_ index: Int, median: Int) -> Double {
      if thresholds[index] > 0 { return thresholds[index] }
      let spread = quartiles.spread(around: index)
      let threshold = max(
        LipponenTarvainen.alpha * spread.halfRange, LipponenTarvainen.quartileFloor * spread.upperQuartile,
        leastThreshold(median))
      thresholds[index] = threshold
      return threshold
    }
  }

  /// The paper's decision tree, figure 1.
  private mutating func classify() {
    let count = intervals.count
    var index = 0
    while index < count {
      defer { index += 1 }
      guard mayBeOutlying(index), abs(difference(index)) > 1 || abs(distance(index)) > 3 else { continue }
      if isEctopic(index) {
        kinds[index] = .ectopic
        continue
      }
      classify(index)
      if index + 1 < count, abs(difference(index + 1)) < abs(difference(index + 2)) { classify(index + 1) }
    }
  }

  /// Whether the interval would be outlying with the least possible thresholds.
  private func mayBeOutlying(_ index: Int) -> Bool {
    let median = medians[index]
    return Double(abs(differences.values[index])) / differences.leastThreshold(median) > 1
      || Double(abs(distances.values[index])) / distances.leastThreshold(median) > 3
  }

  /// The difference in units of its threshold. Positions outside of the series are reflected at its ends.
  private mutating func difference(_ index: Int) -> Double {
    let last = intervals.count - 1
    let inside = index < 0 ? -index : index > last ? 2 * last - index : index
    return Double(differences.values[inside]) / differences.threshold(inside, median: medians[inside])
  }

  /// The distance in units of its threshold.
  private mutating func distance(_ index: Int) -> Double {
    Double(distances.values[index]) / distances.threshold(index, median: medians[index])
  }

  private mutating func isEctopic(_ index: Int) -> Bool {
    let own = difference(index)
    let before = difference(index - 1)
    let after = difference(index + 1)
    if own > 1 { return max(before, after) < -Self.slope * own - Self.intercept && isUnusual(index - 1) }
    if own < -1 { return min(before, after) > -Self.slope * own + Self.intercept && isLate(index - 1) }
    return false
  }

  /// Whether the interval differs from its running median by more than a tenth.
  private func isUnusual(_ index: Int) -> Bool {
    guard index >= 0 else { return true }
    return Double(abs(intervals[index] - medians[index])) >= Self.differenceFloor * Double(medians[index])
  }

  /// Whether the interval ends with a late beat: what it is too long by, the next is too short by. Otherwise beats were
  /// missed, or the next interval ends with a false detection.
  private func isLate(_ index: Int) -> Bool {
    guard index >= 0 else { return true }
    let excess = intervals[index] + intervals[index + 1] - 2 * medians[index]
    return isUnusual(index) && Double(abs(excess)) < Self.differenceFloor * Double(medians[index])
  }

  private mutating func classify(_ candidate: Int) {
    let own = difference(candidate)
    let next = difference(candidate + 1)
    let second = difference(candidate + 2)
    let isLong = own > 1 && min(next, second) < -1
    let isShort = own < -1 && max(next, second) > 1
    guard isLong || isShort || abs(distance(candidate)) > 3, isUnusual(candidate) else { return }
    let interval = intervals[candidate]
    let median = medians[candidate]
    let threshold = distances.threshold(candidate, median: median)
    if isShort, candidate + 1 < intervals.count,
      Double(abs(interval + intervals[candidate + 1] - median)) < threshold
    {
      kinds[candidate] = .extra
    } else if isLong, Double(abs(interval - 2 * median)) < 2 * threshold {
      kinds[candidate] = .missed
    } else {
      kinds[candidate] = .longOrShort
    }
  }
}
