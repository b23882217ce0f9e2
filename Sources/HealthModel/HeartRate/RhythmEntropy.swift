import Glibc

/// Two measures of how irregular successive NN intervals are. Both are greater in atrial fibrillation than in other rhythms, and
/// each mistakes some other rhythms for it; together they mistake few.
///
/// Bounded memory: the last 129 intervals.
struct RhythmEntropy: Hashable, Sendable {
  /// The last intervals for ``sampleEntropy``, in seconds.
  private var intervals: [Double] = []
  /// The rates of the last three intervals, as symbols: 18 bits.
  private var symbols: UInt32 = 0
  private var symbolCount = 0
  /// The last words, as a ring.
  private var words: [UInt32] = []
  private var oldest = 0
  /// The number of times that each word is among the last words, and the number of words for each such number.
  private var occurrences: [UInt32: Int] = [:]
  private var wordsByOccurrences = [Int](repeating: 0, count: wordCount + 1)

  static let intervalCount = 30
  private static let wordCount = 127

  /// - Parameter interval: The next NN interval, in seconds, above 0.
  mutating func add(_ interval: Double) {
    if intervals.count == Self.intervalCount { intervals.removeFirst() }
    intervals.append(interval)
    symbols = (symbols << 6 | UInt32(min(63, 60 / interval / 5))) & 0x3FFFF
    symbolCount = min(symbolCount + 1, 3)
    if symbolCount == 3 { add(word: symbols) }
  }

  private mutating func add(word: UInt32) {
    if words.count < Self.wordCount {
      words.append(word)
    } else {
      count(words[oldest], by: -1)
      words[oldest] = word
      oldest = (oldest + 1) % Self.wordCount
    }
    count(word, by: 1)
  }

  private mutating func count(_ word: UInt32, by change: Int) {
    let before = occurrences[word, default: 0]
    if before > 0 { wordsByOccurrences[before] -= 1 }
    occurrences[word] = before + change > 0 ? before + change : nil
    if before + change > 0 { wordsByOccurrences[before + change] += 1 }
  }

  /// The coefficient of sample entropy (Lake & Moorman 2011, Am. J. Physiol. Heart Circ. Physiol. 300:H319) of the last 30
  /// intervals, with templates of one interval; nil before there are so many.
  ///
  /// As the authors do for short records, the tolerance is as great as at least five matches need, and 30 ms at least. Density
  /// instead of probability makes the entropies of different tolerances comparable, and the logarithm of the mean removes what
  /// comes from the rate alone.
  var sampleEntropy: Double? {
    guard intervals.count == Self.intervalCount else { return nil }
    let values = intervals.span
    let templates = Self.intervalCount - 1
    // The five smallest distances of two successive pairs, in order.
    var smallest = (Double.infinity, Double.infinity, Double.infinity, Double.infinity, Double.infinity)
    for first in 0..<templates {
      for second in first + 1..<templates {
        let distance = max(abs(values[first] - values[second]), abs(values[first + 1] - values[second + 1]))
        guard distance < smallest.4 else { continue }
        smallest.4 = distance
        if smallest.4 < smallest.3 { swap(&smallest.3, &smallest.4) }
        if smallest.3 < smallest.2 { swap(&smallest.2, &smallest.3) }
        if smallest.2 < smallest.1 { swap(&smallest.1, &smallest.2) }
        if smallest.1 < smallest.0 { swap(&smallest.0, &smallest.1) }
      }
    }
    let tolerance = max(0.030, smallest.4)
    var (pairs, single) = (0, 0)
    for first in 0..<templates {
      for second in first + 1..<templates where abs(values[first] - values[second]) <= tolerance {
        single += 1
        if abs(values[first + 1] - values[second + 1]) <= tolerance { pairs += 1 }
      }
    }
    let mean = intervals.reduce(0, +) / Double(Self.intervalCount)
    return -log(Double(pairs) / Double(single)) + log(2 * tolerance) - log(mean)
  }

  /// The entropy of the last 127 words (Zhou et al. 2015, PLoS ONE 10:e0136544): a word is three successive rates, each a symbol
  /// of 5 beats a minute. Nil before there are so many.
  ///
  /// Shannon's entropy of the words, as a share of the greatest that there can be, times the share of different words.
  var wordEntropy: Double? {
    guard words.count == Self.wordCount else { return nil }
    let total = Double(Self.wordCount)
    var sum = 0.0
    for (occurrences, words) in wordsByOccurrences.enumerated() where words > 0 {
      let share = Double(occurrences) / total
      sum += Double(words) * share * log2(share)
    }
    return -Double(occurrences.count) / (total * log2(total)) * sum
  }
}

/// Sample entropy (Richman & Moorman 2000, Am. J. Physiol. Heart Circ. Physiol. 278:H2039), with the usual templates of two
/// values and a tolerance of a fifth of the standard deviation.
///
/// As the tolerance follows the deviation, the entropy does not show how much the intervals vary, but how little of that
/// follows from the two before. Fibrillation has a high entropy, whether it is fast or slow, deep or shallow. Early beats from
/// one place widen the deviation, and the interval after such a beat is predictable: the entropy is low.
enum SampleEntropy {
  private static let template = 2
  private static let tolerance = 0.2

  /// - Parameter values: Three or more.
  /// - Returns: The entropy; nil where no two templates are alike. Where alike templates are never followed by alike values,
  ///   the entropy that half a match would give.
  static func of(_ values: some Collection<Double>) -> Double? {
    let values = Array(values)
    let templates = values.count - template
    guard templates > 0 else { return nil }
    let mean = values.reduce(0, +) / Double(values.count)
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let reach = tolerance * (squares / Double(values.count - 1)).squareRoot()
    let span = values.span
    var (alike, followed) = (0, 0)
    for first in 0..<templates {
      for second in first + 1..<templates
      where abs(span[first] - span[second]) <= reach && abs(span[first + 1] - span[second + 1]) <= reach {
        alike += 1
        if abs(span[first + 2] - span[second + 2]) <= reach { followed += 1 }
      }
    }
    guard alike > 0 else { return nil }
    return -log((followed > 0 ? Double(followed) : 0.5) / Double(alike))
  }
}
