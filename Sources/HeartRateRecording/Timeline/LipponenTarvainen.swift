/// Artefacts in a series of intervals, by J. A. Lipponen and M. P. Tarvainen, "A robust algorithm for heart rate variability
/// time series artefact correction using novel beat classification", 2019 (doi 10.1080/03091902.2019.1640306).
///
/// Differences of neighbouring intervals, and distances from a running median, are measured in units of a threshold that
/// follows their own spread: α times half the distance between the quartiles of the 91 around. Only the classes are
/// used: nothing is corrected.
///
/// Ours are two floors under the thresholds, for what the distance between quartiles cannot see. An interval that differs
/// by less than a tenth is no artefact, however even the rest: on simulated hearts with 2 % artefacts that takes four of
/// five false flags away and no true one. And a threshold is at least 1.25 upper quartiles: where nearly all
/// differences are equally large, as in a rhythm that alternates, their quartiles fall together, and each of them would
/// be an outlier among its likes. For normally distributed differences α·QD is 1.9 upper quartiles, so that this floor
/// does nothing there. The last two intervals are judged too, with the series reflected.
struct LipponenTarvainen {
  enum Kind: UInt8 {
    case normal
    /// The interval *after* an early beat: the beat that is ectopic ends the interval before it.
    case ectopic
    /// Twice as long as it should be.
    case missed
    /// With the next one as long as one should be.
    case extra
    /// Too long or too short in another way.
    case longOrShort
  }

  /// α of the paper.
  private static let alpha = 5.2
  private static let slope = 0.13
  private static let intercept = 0.17
  private static let medianWindow = 11
  /// Fewer intervals have no spread to speak of.
  private static let fewest = 12
  /// The floors: of both thresholds in upper quartiles, and of each in median intervals.
  private static let quartileFloor = 1.25
  private static let differenceFloor = 0.1
  /// Three of these make a distance outlying, and that of a short interval counts twice: it is short by a tenth.
  private static let distanceFloor = 0.2 / 3
  /// In ticks, for medians of 0; a tenth of a millisecond.
  private static let leastThreshold = 0.1024

  private let intervals: [Int]
  private let medians: [Int]
  /// Differences and distances in units of their thresholds.
  private let differences: [Double]
  private let distances: [Double]
  private let distanceThresholds: [Double]
  private(set) var kinds: [Kind]

  /// Classifies successive intervals of one run, in ticks of 1/1024 s.
  init(_ rrTicks: ArraySlice<UInt16>) {
    let count = rrTicks.count
    kinds = [Kind](repeating: .normal, count: count)
    guard count >= Self.fewest else {
      (intervals, medians, differences, distances, distanceThresholds) = ([], [], [], [], [])
      return
    }
    let intervals = rrTicks.map(Int.init)
    let medians = RunningMedian.medians(intervals, window: Self.medianWindow)
    // The first has none before it: it gets the mean of the others, as in the paper's own implementation.
    var differences = [(intervals[count - 1] - intervals[0]) / (count - 1)]
    differences.reserveCapacity(count)
    for index in 1..<count { differences.append(intervals[index] - intervals[index - 1]) }
    var distances: [Int] = []
    distances.reserveCapacity(count)
    for index in 0..<count {
      let distance = intervals[index] - medians[index]
      distances.append(distance < 0 ? 2 * distance : distance)
    }
    let distanceThresholds = Self.thresholds(distances, floor: Self.distanceFloor, of: medians)
    let differenceThresholds = Self.thresholds(differences, floor: Self.differenceFloor, of: medians)
    self.differences = zip(differences, differenceThresholds).map { Double($0) / $1 }
    self.distances = zip(distances, distanceThresholds).map { Double($0) / $1 }
    self.intervals = intervals
    self.medians = medians
    self.distanceThresholds = distanceThresholds
    classify()
  }

  private static func thresholds(_ values: [Int], floor: Double, of medians: [Int]) -> [Double] {
    zip(RunningQuartiles.spreads(values.map(abs)), medians).map { spread, median in
      max(alpha * spread.halfRange, quartileFloor * spread.upperQuartile, floor * Double(median), leastThreshold)
    }
  }

  /// The paper's decision tree, figure 1.
  private mutating func classify() {
    let count = intervals.count
    var index = 0
    while index < count {
      defer { index += 1 }
      guard abs(differences[index]) > 1 || abs(distances[index]) > 3 else { continue }
      if isEctopic(index) {
        kinds[index] = .ectopic
        continue
      }
      classify(index)
      if index + 1 < count, abs(difference(index + 1)) < abs(difference(index + 2)) { classify(index + 1) }
    }
  }

  /// The value at a position that may lie outside: reflected at the ends.
  private func difference(_ index: Int) -> Double {
    let last = differences.count - 1
    return differences[index < 0 ? -index : index > last ? 2 * last - index : index]
  }

  private func isEctopic(_ index: Int) -> Bool {
    let own = differences[index]
    let before = difference(index - 1)
    let after = difference(index + 1)
    if own > 1 { return max(before, after) < -Self.slope * own - Self.intercept }
    if own < -1 { return min(before, after) > -Self.slope * own + Self.intercept }
    return false
  }

  private mutating func classify(_ candidate: Int) {
    let own = differences[candidate]
    let next = difference(candidate + 1)
    let second = difference(candidate + 2)
    let isLong = own > 1 && min(next, second) < -1
    let isShort = own < -1 && max(next, second) > 1
    guard isLong || isShort || abs(distances[candidate]) > 3 else { return }
    let interval = intervals[candidate]
    let threshold = distanceThresholds[candidate]
    if isShort, candidate + 1 < intervals.count,
      Double(abs(interval + intervals[candidate + 1] - medians[candidate])) < threshold
    {
      kinds[candidate] = .extra
    } else if isLong, Double(abs(interval - 2 * medians[candidate])) < 2 * threshold {
      kinds[candidate] = .missed
    } else {
      kinds[candidate] = .longOrShort
    }
  }
}
