/// Detects half an hour in which NN intervals are as irregular as in atrial fibrillation.
///
/// Each interval has two figures, from the intervals before it: the coefficient of sample entropy (Lake & Moorman 2011) of 30, all in
/// the window, and the entropy of 127 words (Zhou et al. 2015), which may reach back before it. A window of five minutes is irregular
/// where both medians of its values are beyond their limits, and that of the sample entropy (Richman & Moorman 2000) of 128
/// intervals is, too, which distinguishes fibrillation from early beats of the atria. Windows begin every 150 s. Eleven in a row
/// are an event: the rule of the Fitbit Heart Study (Lubitz et al. 2022, Circulation 146:1415). A window with fewer than 100
/// values breaks the row, since its rhythm is unknown. One row is one event, from its first window's start to the eleventh's end.
///
/// An episode of 32.5 minutes is reported, one of 25 minutes is not. An event is no diagnosis: that needs an electrocardiogram.
/// A recording without an event may have an irregular rhythm all the same.
///
/// Bounded memory, whatever the intervals are; for stored ones and for arriving ones.
public struct IrregularRhythmDetector: Hashable, Sendable {
  /// The rule by which the detector decides.
  public static let rule = HeartEvent.Rule(name: "irregularRhythm", version: 2)

  /// Half a window, in microseconds: windows overlap by so much.
  private static let half: Int64 = 150_000_000
  private static let leastSampleEntropy = -1.2
  private static let leastWordEntropy = 0.639
  /// Halfway between the lowest of fibrillation and the highest of early beats (1.60 and 1.27).
  private static let leastPlainEntropy = 1.44
  /// The number of intervals of a plain sample entropy, and the number of intervals from one to the next.
  private static let plainCount = 128
  private static let plainStep = 8
  private static let windowsInARow = 11
  private static let fewestValues = 100

  private let origin: Timestamp
  private var entropy = RhythmEntropy()
  /// The half of a window before ``current``; nil at the beginning.
  private var previous: Half?
  private var current = Half()
  /// The last intervals before ``previous``.
  private var earlier: [Double] = []
  /// The number of the current half since ``origin``.
  private var index: Int64 = 0
  /// The present number of irregular windows in a row.
  private var row = 0

  /// The figures of half a window.
  private struct Half: Hashable, Sendable {
    var sampleEntropies: [Double] = []
    var wordEntropies: [Double] = []
    var intervals: [Double] = []
    /// Whether the half has more intervals than any heart makes, ten a second: then it counts as regular.
    var isOverfull = false

    static let most = 1_500

    mutating func add(_ interval: Double, _ entropy: RhythmEntropy) {
      guard intervals.count < Self.most else {
        isOverfull = true
        return
      }
      intervals.append(interval)
      if let value = entropy.sampleEntropy { sampleEntropies.append(value) }
      if let value = entropy.wordEntropy { wordEntropies.append(value) }
    }
  }

  /// A detector for one recording.
  ///
  /// - Parameter origin: The start of the first window: the time of a recording's first beat.
  public init(origin: Timestamp) {
    self.origin = origin
  }

  /// Adds an NN interval. Intervals follow each other as they are; a time between two of them does not matter.
  ///
  /// - Parameters:
  ///   - interval: The interval in seconds; one that is not above 0 is left out.
  ///   - time: The end of the interval; one before the current half of a window is left out.
  /// - Returns: The event, where this interval ends a window that completes one.
  public mutating func add(_ interval: Double, endingAt time: Timestamp) -> HeartEvent? {
    let half = time.microseconds(since: origin) / Self.half
    guard interval > 0, interval.isFinite, time >= origin, half >= index else { return nil }
    var event: HeartEvent?
    // After two halves without an interval the next ones change nothing.
    for _ in 0..<min(half - index, 3) {
      event = event ?? completeHalf()
    }
    index = half
    entropy.add(interval)
    current.add(interval, entropy)
    return event
  }

  /// Ends the current half, and with it a window.
  private mutating func completeHalf() -> HeartEvent? {
    defer {
      earlier = Array((earlier + (previous?.intervals ?? [])).suffix(Self.plainCount - 1))
      previous = current
      current = Half()
      index += 1
    }
    guard let previous else { return nil }
    row = isIrregular(previous, current) ? row + 1 : 0
    guard row == Self.windowsInARow else { return nil }
    let end = origin.advanced(byMicroseconds: (index + 1) * Self.half)
    let start = end.advanced(byMicroseconds: -Int64(Self.windowsInARow + 1) * Self.half)
    return TimeSpan(start: start, end: end).map { HeartEvent(.irregular, over: $0, rule: Self.rule) }
  }

  private func isIrregular(_ first: Half, _ second: Half) -> Bool {
    guard !first.isOverfull, !second.isOverfull else { return false }
    let words = first.wordEntropies + second.wordEntropies
    // Sample entropies of the window's first intervals are of intervals before the window.
    let samples = (first.sampleEntropies + second.sampleEntropies).suffix(
      max(0, first.intervals.count + second.intervals.count - (RhythmEntropy.intervalCount - 1)))
    guard min(words.count, samples.count) >= Self.fewestValues else { return false }
    guard Self.median(words) > Self.leastWordEntropy, Self.median(Array(samples)) > Self.leastSampleEntropy else {
      return false
    }
    // Last, since it costs most and few hearts come so far.
    let plain = plainEntropies(first.intervals + second.intervals)
    return !plain.isEmpty && Self.median(plain) > Self.leastPlainEntropy
  }

  /// The plain sample entropies that end in a window of these intervals.
  private func plainEntropies(_ window: [Double]) -> [Double] {
    let intervals = earlier + window
    let ends = stride(from: max(Self.plainCount, earlier.count + 1), through: intervals.count, by: Self.plainStep)
    return ends.compactMap { SampleEntropy.of(intervals[($0 - Self.plainCount)..<$0]) }
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
