/// Heart rate variability over NN intervals; every figure in seconds unless stated otherwise.
///
/// Definitions: Task Force 1996 (Circulation 93:1043); SD1 and SD2 after Brennan 2001 as in Shaffer & Ginsberg 2017.
/// A figure that cannot be computed is refused with its reason.
public struct HeartRateVariability: Hashable, Sendable {
  /// The intervals from which the figures are computed.
  public let intervals: NNIntervals
  /// The origin of five-minute segments, in seconds since the recording's first beat.
  let start: Double
  /// Differences within the valid pairs, in seconds.
  private let differences: [Double]

  /// The divisor of a sum of squares. The Task Force leaves it open; most tools use ``sample`` for SDNN.
  public enum Divisor: Hashable, Sendable {
    /// The number of values.
    case population
    /// The number of values less one.
    case sample

    /// The fewest values that a standard deviation needs.
    var minimumCount: Int { self == .population ? 1 : 2 }

    func value(for count: Int) -> Int { self == .population ? count : count - 1 }
  }

  /// A figure with the number of its values and its divisor.
  public struct Figure: Hashable, Sendable {
    /// The figure, in seconds unless its function states otherwise.
    public var value: Double
    /// The number of values: intervals, valid pairs or segments.
    public var count: Int
    /// The divisor of the sum over those values: ``count``, or one less; for a count 1, for a power the number of segments.
    public var divisor: Int
  }

  /// The variability of NN intervals.
  ///
  /// - Parameters:
  ///   - intervals: The NN intervals of a record, or of a part of it.
  ///   - start: The beginning of that part, in seconds since the recording's first beat.
  public init(_ intervals: NNIntervals, from start: Double = 0) {
    self.intervals = intervals
    self.start = start
    let seconds = intervals.seconds.span
    let continues = intervals.continues.span
    var differences: [Double] = []
    differences.reserveCapacity(seconds.count)
    for index in seconds.indices.dropFirst() where continues[index] {
      differences.append(seconds[index] - seconds[index - 1])
    }
    self.differences = differences
  }

  /// The number of NN intervals.
  public var count: Int { intervals.count }

  /// The number of valid pairs: two intervals that share a beat.
  public var pairCount: Int { differences.count }

  /// The mean NN interval.
  public func meanNN() throws(VariabilityRefusal) -> Figure {
    try requireIntervals(1)
    return Figure(value: Self.mean(intervals.seconds), count: count, divisor: count)
  }

  /// The rate of the mean interval in beats per minute; not the mean of the single rates, which is never smaller.
  public func meanRate() throws(VariabilityRefusal) -> Figure {
    var figure = try meanNN()
    guard figure.value > 0 else { throw .noDuration }
    figure.value = 60 / figure.value
    return figure
  }

  /// The standard deviation of the NN intervals.
  public func sdnn(_ divisor: Divisor = .sample) throws(VariabilityRefusal) -> Figure {
    try requireIntervals(divisor.minimumCount)
    let figure = Self.deviation(intervals.seconds, divisor)
    try requireFine(figure.value, leastSteps: Self.leastStepsOfIntervals)
    return figure
  }

  /// The root mean square of the successive differences, divided by their number.
  public func rmssd() throws(VariabilityRefusal) -> Figure {
    try requirePairs(1)
    let squares = differences.reduce(0) { $0 + $1 * $1 }
    let value = (squares / Double(pairCount)).squareRoot()
    try requireFine(value, leastSteps: Self.leastStepsOfDifferences)
    return Figure(value: value, count: pairCount, divisor: pairCount)
  }

  /// The standard deviation of the successive differences.
  public func sdsd(_ divisor: Divisor = .sample) throws(VariabilityRefusal) -> Figure {
    try requirePairs(divisor.minimumCount)
    let figure = Self.deviation(differences, divisor)
    try requireFine(figure.value, leastSteps: Self.leastStepsOfDifferences)
    return figure
  }

  /// The number of successive differences greater than 50 ms; ``Figure/value`` is a count.
  ///
  /// - Parameter tolerance: The tolerance in milliseconds. A difference of exactly 50 ms does not count, but in binary fractions
  ///   it may be a little greater. Other programs have no tolerance and count some of these.
  /// - Returns: The count; its ``Figure/count`` is that of the valid pairs.
  /// - Throws: ``VariabilityRefusal/tooFewPairs(needed:available:)``, ``VariabilityRefusal/tooCoarse(stepMilliseconds:)``.
  public func nn50(tolerance: Double = 1e-6) throws(VariabilityRefusal) -> Figure {
    // In steps of 10 ms, "more than 50" means "55 and more" of the heart's own differences.
    if let step = intervals.coarseStep { throw .tooCoarse(stepMilliseconds: step * 1000) }
    try requirePairs(1)
    let seconds = intervals.seconds
    let large = seconds.indices.count {
      intervals.continues[$0] && $0 > 0 && abs(seconds[$0] * 1000 - seconds[$0 - 1] * 1000) > 50 + tolerance
    }
    return Figure(value: Double(large), count: pairCount, divisor: 1)
  }

  /// ``nn50(tolerance:)`` in percent of the valid pairs; some tools divide by the number of intervals instead.
  public func pnn50(tolerance: Double = 1e-6) throws(VariabilityRefusal) -> Figure {
    let large = try nn50(tolerance: tolerance)
    return Figure(value: large.value * 100 / Double(pairCount), count: pairCount, divisor: pairCount)
  }

  /// The width of the Poincaré plot: SDSD / √2.
  public func sd1(_ divisor: Divisor = .sample) throws(VariabilityRefusal) -> Figure {
    var figure = try sdsd(divisor)
    figure.value /= 2.0.squareRoot()
    return figure
  }

  /// The length of the Poincaré plot: √(2·SDNN² − SDSD²/2), with the same divisor in both; counted in intervals.
  public func sd2(_ divisor: Divisor = .sample) throws(VariabilityRefusal) -> Figure {
    var figure = try sdnn(divisor)
    let differences = try sdsd(divisor).value
    let variance = 2 * figure.value * figure.value - differences * differences / 2
    guard variance >= 0 else { throw .negativeVariance }
    figure.value = variance.squareRoot()
    return figure
  }

  /// Rounding adds its own variance to that of the intervals. It makes a figure 5 % greater where this is a tenth of
  /// the figure's: of times of beats in steps of s, intervals have s²/6 more, and their differences s²/2.
  private static let leastStepsOfIntervals = 1.3
  private static let leastStepsOfDifferences = 2.3

  /// Refuses a figure, in seconds, that rounding alone would explain to more than 5 %.
  func requireFine(_ value: Double, leastSteps: Double) throws(VariabilityRefusal) {
    guard let step = intervals.coarseStep, value < leastSteps * step else { return }
    throw .tooCoarse(stepMilliseconds: step * 1000)
  }

  private func requireIntervals(_ needed: Int) throws(VariabilityRefusal) {
    guard count >= needed else { throw .tooFewIntervals(needed: needed, available: count) }
  }

  private func requirePairs(_ needed: Int) throws(VariabilityRefusal) {
    guard pairCount >= needed else { throw .tooFewPairs(needed: needed, available: pairCount) }
  }

  /// The mean of values of which there is at least one.
  static func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(values.count)
  }

  /// The standard deviation, in two passes, because the sum of squares minus the square of the sum would lose digits. There are
  /// enough values for `divisor`.
  static func deviation(_ values: [Double], _ divisor: Divisor) -> Figure {
    let mean = mean(values)
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let count = divisor.value(for: values.count)
    return Figure(value: (squares / Double(count)).squareRoot(), count: values.count, divisor: count)
  }
}

/// The figures of long recordings, over segments of five minutes (Task Force 1996, table 1).
///
/// Segments follow each other from the start; an interval belongs to the segment in which it ends. The Task Force does not
/// mention missing intervals. Here a segment counts if NN intervals fill at least half of it, so that gaps and the end of a
/// recording do not make segments of a few beats.
extension HeartRateVariability {
  /// The standard deviation of the segments' mean NN intervals; needs two segments, with either divisor.
  public func sdann(_ divisor: Divisor = .sample) throws(VariabilityRefusal) -> Figure {
    let segments = segments()
    guard segments.count >= 2 else { throw .tooFewSegments(needed: 2, available: segments.count) }
    return Self.deviation(segments.map(Self.mean), divisor)
  }

  /// The mean of the segments' SDNN. `divisor` is that of each segment's SDNN; the figure's divisor is the number of
  /// segments.
  public func sdnnIndex(_ divisor: Divisor = .sample) throws(VariabilityRefusal) -> Figure {
    let deviations = segments().filter { $0.count >= divisor.minimumCount }.map { Self.deviation($0, divisor).value }
    guard !deviations.isEmpty else { throw .tooFewSegments(needed: 1, available: 0) }
    return Figure(value: Self.mean(deviations), count: deviations.count, divisor: deviations.count)
  }

  /// The intervals of each segment that counts.
  private func segments() -> [[Double]] {
    let length = 300.0
    var segments: [[Double]] = []
    var current: [Double] = []
    var border = start + length
    for (interval, end) in zip(intervals.seconds, intervals.ends) {
      if end >= border {
        segments.append(current)
        current = []
        border = start + (((end - start) / length).rounded(.down) + 1) * length
      }
      current.append(interval)
    }
    segments.append(current)
    return segments.filter { $0.reduce(0, +) >= length / 2 }
  }
}
