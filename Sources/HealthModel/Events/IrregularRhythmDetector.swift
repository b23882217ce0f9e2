/// Tells where NN intervals are as irregular as in atrial fibrillation for half an hour.
///
/// Each interval has two figures, from the intervals before it: the coefficient of sample entropy (Lake & Moorman 2011) of 30, all in
/// the window, and the entropy of 127 words (Zhou et al. 2015), which may reach back before it. A window of five minutes is irregular where both medians of its values are beyond
/// their limits; windows begin every 150 s. Eleven in a row are an event: the rule of the Fitbit Heart Study (Lubitz et al.
/// 2022, Circulation 146:1415). A window with fewer than 100 values breaks the row, since nobody knows its rhythm. One row is one
/// event, from its first window's start to the eleventh's end.
///
/// An episode of 32.5 minutes is told, one of 25 minutes is not. It is no diagnosis: only an electrocardiogram can be one, and
/// no event does not mean that the rhythm is regular.
///
/// Bounded memory, whatever the intervals are; for stored ones and for arriving ones.
public struct IrregularRhythmDetector: Hashable, Sendable {
  /// The rule by which it decides.
  public static let rule = HeartEvent.Rule(name: "irregularRhythm", version: 1)

  /// Half a window, in microseconds: windows overlap by so much.
  private static let half: Int64 = 150_000_000
  private static let leastSampleEntropy = -1.2
  private static let leastWordEntropy = 0.639
  private static let windowsInARow = 11
  private static let fewestValues = 100

  private let origin: Timestamp
  private var entropy = RhythmEntropy()
  /// The half of a window before ``current``; nil at the beginning.
  private var previous: Half?
  private var current = Half()
  /// Which half since ``origin`` is current.
  private var index: Int64 = 0
  /// How many irregular windows there are in a row now.
  private var row = 0

  /// The figures of half a window.
  private struct Half: Hashable, Sendable {
    var sampleEntropies: [Double] = []
    var wordEntropies: [Double] = []
    var intervals = 0
    /// Whether more intervals were in it than any heart has: ten a second. Then it says nothing.
    var isOverfull = false

    static let most = 1_500

    mutating func add(_ entropy: RhythmEntropy) {
      guard sampleEntropies.count < Self.most else {
        isOverfull = true
        return
      }
      intervals += 1
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
    current.add(entropy)
    return event
  }

  /// The current half is over, and with it a window.
  private mutating func completeHalf() -> HeartEvent? {
    defer {
      previous = current
      current = Half()
      index += 1
    }
    guard let previous else { return nil }
    row = Self.isIrregular(previous, current) ? row + 1 : 0
    guard row == Self.windowsInARow else { return nil }
    let end = origin.advanced(byMicroseconds: (index + 1) * Self.half)
    let start = end.advanced(byMicroseconds: -Int64(Self.windowsInARow + 1) * Self.half)
    return TimeSpan(start: start, end: end).map { HeartEvent(.irregular, over: $0, rule: Self.rule) }
  }

  private static func isIrregular(_ first: Half, _ second: Half) -> Bool {
    guard !first.isOverfull, !second.isOverfull else { return false }
    let words = first.wordEntropies + second.wordEntropies
    // Those of the window's first intervals are of intervals before it.
    let samples = (first.sampleEntropies + second.sampleEntropies).suffix(
      max(0, first.intervals + second.intervals - (RhythmEntropy.intervalCount - 1)))
    guard min(words.count, samples.count) >= fewestValues else { return false }
    return median(words) > leastWordEntropy && median(Array(samples)) > leastSampleEntropy
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
