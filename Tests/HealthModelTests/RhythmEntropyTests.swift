import Foundation
import TestSupport
import Testing

@testable import HealthModel

@Suite("Entropies of the rhythm")
struct RhythmEntropyTests {
  /// Both measures of the last intervals, as the papers define them.
  private func plain(_ intervals: [Double]) -> (sample: Double?, word: Double?) {
    var sample: Double?
    if intervals.count >= 30 {
      let x = Array(intervals.suffix(30))
      var distances: [(one: Double, two: Double)] = []
      for i in 0..<29 {
        for j in (i + 1)..<29 {
          let one = abs(x[i] - x[j])
          distances.append((one, max(one, abs(x[i + 1] - x[j + 1]))))
        }
      }
      let r = max(0.030, distances.map(\.two).sorted()[4])
      let a = Double(distances.count { $0.two <= r })
      let b = Double(distances.count { $0.one <= r })
      sample = -log(a / b) + log(2 * r) - log(x.reduce(0, +) / 30)
    }
    guard intervals.count >= 129 else { return (sample, nil) }
    let symbols = intervals.suffix(129).map { min(63, Int((60 / $0 / 5).rounded(.down))) }
    var counts: [[Int]: Int] = [:]
    for place in 0..<127 { counts[Array(symbols[place..<(place + 3)]), default: 0] += 1 }
    let sum = counts.values.map { Double($0) / 127 }.map { $0 * log2($0) }.reduce(0, +)
    return (sample, -Double(counts.count) / (127 * log2(127)) * sum)
  }

  @Test("they are those of the definitions, however the intervals are", arguments: 1...12 as ClosedRange<UInt64>)
  func definitions(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var entropy = RhythmEntropy()
    var intervals: [Double] = []
    let spread = [0.0, 0.001, 0.05, 0.4, 5][Int(seed % 5)]
    for _ in 0..<400 {
      let interval = 0.8 + Double.random(in: 0...1, using: &random) * spread
      intervals.append(seed == 12 ? (interval * 256).rounded() / 256 : interval)
      entropy.add(intervals[intervals.count - 1])
      let expected = plain(intervals)
      #expect((entropy.sampleEntropy == nil) == (expected.sample == nil))
      #expect((entropy.wordEntropy == nil) == (expected.word == nil))
      if let sample = expected.sample { #expect(abs(try #require(entropy.sampleEntropy) - sample) < 1e-9) }
      if let word = expected.word { #expect(abs(try #require(entropy.wordEntropy) - word) < 1e-9) }
    }
  }

  @Test("an even rhythm has no entropy, one without any order the greatest of words")
  func extremes() throws {
    var even = RhythmEntropy()
    for _ in 0..<200 { even.add(1) }
    #expect(even.wordEntropy == 0)
    #expect(abs(try #require(even.sampleEntropy) - log(0.06)) < 1e-12)
    var uneven = RhythmEntropy()
    var random = SeededGenerator(seed: 1)
    for _ in 0..<200 { uneven.add(60 / Double.random(in: 1...320, using: &random)) }
    #expect(try #require(uneven.wordEntropy) > 0.9)
  }

  @Test("intervals that no heart has do no harm")
  func absurd() {
    var entropy = RhythmEntropy()
    for interval in [1e-300, .leastNonzeroMagnitude, 1e300, 0.001, 1e9] {
      for _ in 0..<200 { entropy.add(interval) }
      #expect(entropy.wordEntropy != nil)
    }
  }
}
