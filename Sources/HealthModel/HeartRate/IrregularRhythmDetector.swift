/// Tells where NN intervals are as irregular as in atrial fibrillation for half an hour.
///
/// Each interval has two figures, from the intervals before it: the coefficient of sample entropy (Lake & Moorman 2011) of 30, all in
/// the window, and the entropy of 127 words (Zhou et al. 2015), which may reach back before it. A window of five minutes is irregular
/// where both medians of its values are beyond their limits, and that of the sample entropy (Richman & Moorman 2000) of 128 intervals
/// is, too, which tells fibrillation from early beats of the atria. Windows begin every 150 s. Eleven in a row are an event: the rule of the Fitbit Heart Study (Lubitz et al.
/// 2022, Circulation 146:1415). A window with fewer than 100 values breaks the row, since nobody knows its rhythm. One row is one
/// event, from its first window's start to the eleventh's end.
///
/// An episode of 32.5 minutes is told, one of 25 minutes is not. It is no diagnosis: only an electrocardiogram can be one, and
/// no event does not mean that the rhythm is regular.
///
/// Bounded memory, whatever the intervals are; for stored ones and for arriving ones.
public struct IrregularRhythmDetector: Hashable, Sendable {
  /// The rule by which it decides.
  public static let rule = HeartEvent.Rule(name: "irregularRhythm", version: 2)

  /// Half a window, in microseconds: windows overlap by so much.
  private static let half: Int64 = 150_000_000
  private static let leastSampleEntropy = -1.2
  private static let leastWordEntropy = 0.639
  /// Halfway between the lowest of fibrillation and the highest of early beats (Documentation/evidence.md, 242).
  private static let leastPlainEntropy = 1.44
  /// Of how many intervals it is, and after how many more again.
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
  /// Which half since ``origin`` is current.
  private var index: Int64 = 0
  /// How many irregular windows there are in a row now.
  private var row = 0

  /// The figures of half a window.
  private struct Half: Hashable, Sendable {
    var sampleEntropies: [Double] = []
    var wordEntropies: [Double] = []
    var intervals: [Double] = []
    /// Whether more intervals were in it than any heart has: ten a second. Then it says nothing.
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

  /// - Parameter origin: When the first window begins: a recording's first beat.
  public init(origin: Timestamp) {
    self.origin = origin
  }

  /// An NN interval was measured. Intervals follow each other as they are; what lies between two of them does not matter.
  ///
  /// - Parameters:
  ///   - interval: In seconds. What is not above 0 is left out.
  ///   - time: When it ended. What is before the current half of a window is left out.
  /// - Returns: The event, where this interval shows that a window is over which completes one.
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

  /// The current half is over, and with it a window.
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
    // Those of the window's first intervals are of intervals before it.
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

  /// Those of the intervals that end in a window with these.
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
