import TestSupport
import Testing

@testable import Timeline

/// The classification skips what cannot matter; here every threshold is computed, by sorting.
@Suite("LipponenTarvainen")
struct LipponenTarvainenTests {
  @Test("skipping thresholds that cannot matter changes no class", arguments: 0..<120)
  func classesAreThoseOfAllThresholds(seed: UInt64) {
    let intervals = Self.intervals(seed: seed)
    let classes = LipponenTarvainen(intervals[...]).kinds
    #expect(classes == Reference(intervals.map(Int.init)).kinds, "seed \(seed)")
  }

  @Test("the counted quartiles are those of the sorted window, wherever it moves", arguments: 0..<40)
  func quartilesOfAnyWindow(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let values = (0..<Int.random(in: 1...600, using: &generator)).map { _ in
      Bool.random(using: &generator)
        ? Int.random(in: -40...40, using: &generator) : .random(in: -9000...9000, using: &generator)
    }
    var quartiles = RunningQuartiles(values)
    var index = 0
    for _ in 0..<100 {
      index =
        Bool.random(using: &generator)
        ? index + .random(in: -4...4, using: &generator) : .random(in: 0...600, using: &generator)
      index = max(0, min(index, values.count - 1))
      let spread = quartiles.spread(around: index)
      let expected = Reference.spread(values, index)
      #expect(spread.upperQuartile == expected.upper && spread.halfRange == expected.halfRange, "seed \(seed)")
    }
  }

  /// A heart with artefacts, of any length, even or wild.
  private static func intervals(seed: UInt64) -> [UInt16] {
    var generator = SeededGenerator(seed: seed)
    let count = [5, 11, 12, 13, 30, 45, 46, 60, 91, 150, 400][Int.random(in: 0..<11, using: &generator)]
    var intervals = restingIntervals(count, mean: .random(in: 300...1500, using: &generator), seed: seed)
    let wildness = [300, 50, 8, 2][Int.random(in: 0..<4, using: &generator)]
    for index in intervals.indices where Int.random(in: 0..<wildness, using: &generator) == 0 {
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: intervals[index] = .random(in: 0...65535, using: &generator)
      case 1: intervals[index] /= 2
      case 2: intervals[index] = UInt16(clamping: Int(intervals[index]) * 2)
      case 3: intervals[index] = UInt16(clamping: Int(intervals[index]) * 9 / 10)
      default: intervals[index] = UInt16(clamping: Int(intervals[index]) * 5 / 4)
      }
    }
    return intervals
  }

  /// The paper's algorithm with our floors, step by step.
  private struct Reference {
    var kinds: [LipponenTarvainen.Kind]
    private var intervals: [Int]
    private var medians: [Int] = []
    private var differences: [Double] = []
    private var distances: [Double] = []
    private var thresholds: [Double] = []

    init(_ intervals: [Int]) {
      self.intervals = intervals
      let count = intervals.count
      kinds = Array(repeating: .normal, count: count)
      guard count >= 12 else { return }
      medians = intervals.indices.map { middle in
        (-5...5).map { intervals[Self.reflected(middle + $0, count)] }.sorted()[5]
      }
      let steps = intervals.indices.map {
        $0 == 0 ? (intervals[count - 1] - intervals[0]) / (count - 1) : intervals[$0] - intervals[$0 - 1]
      }
      let fromMedian = intervals.indices.map { index in
        let distance = intervals[index] - medians[index]
        return distance < 0 ? 2 * distance : distance
      }
      thresholds = Self.thresholds(fromMedian, floor: 0.2 / 3, medians)
      differences = zip(steps, Self.thresholds(steps, floor: 0.1, medians)).map { Double($0) / $1 }
      distances = zip(fromMedian, thresholds).map { Double($0) / $1 }
      for index in intervals.indices where abs(differences[index]) > 1 || abs(distances[index]) > 3 { decide(index) }
    }

    static func spread(_ values: [Int], _ middle: Int) -> (upper: Double, halfRange: Double) {
      let window = (-45...45).map { offset -> Double in
        let index = middle + offset
        let inside =
          values.count > 45 ? reflected(index, values.count) : max(0, min(index, values.count - 1))
        return Double(min(abs(values[inside]), 8191))
      }.sorted()
      let lower = (window[22] + window[23]) / 2
      let upper = (window[67] + window[68]) / 2
      return (upper, (upper - lower) / 2)
    }

    private static func reflected(_ index: Int, _ count: Int) -> Int {
      index < 0 ? -index : index > count - 1 ? 2 * (count - 1) - index : index
    }

    private static func thresholds(_ values: [Int], floor: Double, _ medians: [Int]) -> [Double] {
      values.indices.map { index in
        let spread = spread(values, index)
        return [5.2 * spread.halfRange, 1.25 * spread.upper, floor * Double(medians[index]), 0.1024].max() ?? 0
      }
    }

    private mutating func decide(_ index: Int) {
      let own = differences[index]
      let around = [difference(index - 1), difference(index + 1)]
      if own > 1 && around.allSatisfy({ $0 < -0.13 * own - 0.17 }) && isUnusual(index - 1)
        || own < -1 && around.allSatisfy({ $0 > -0.13 * own + 0.17 }) && isUnusual(index - 1)
          && isDisplaced(index - 1)
      {
        kinds[index] = .ectopic
        return
      }
      classify(index)
      if index + 1 < intervals.count, abs(difference(index + 1)) < abs(difference(index + 2)) { classify(index + 1) }
    }

    /// Off its median by a tenth; what came before the first is unknown.
    private func isUnusual(_ index: Int) -> Bool {
      index < 0 || abs(Double(intervals[index]) - Double(medians[index])) >= 0.1 * Double(medians[index])
    }

    /// Together with the next one two medians, to a tenth of one.
    private func isDisplaced(_ index: Int) -> Bool {
      index < 0
        || abs(Double(intervals[index] + intervals[index + 1] - 2 * medians[index])) < 0.1 * Double(medians[index])
    }

    private func difference(_ index: Int) -> Double {
      differences[Self.reflected(index, differences.count)]
    }

    private mutating func classify(_ index: Int) {
      let own = differences[index]
      let after = [difference(index + 1), difference(index + 2)]
      let isLong = own > 1 && after.contains { $0 < -1 }
      let isShort = own < -1 && after.contains { $0 > 1 }
      guard isLong || isShort || abs(distances[index]) > 3, isUnusual(index) else { return }
      let median = medians[index]
      if isShort, index + 1 < intervals.count,
        Double(abs(intervals[index] + intervals[index + 1] - median)) < thresholds[index]
      {
        kinds[index] = .extra
      } else if isLong, Double(abs(intervals[index] - 2 * median)) < 2 * thresholds[index] {
        kinds[index] = .missed
      } else {
        kinds[index] = .longOrShort
      }
    }
  }
}
