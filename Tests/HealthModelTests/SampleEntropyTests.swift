import Foundation
import TestSupport
import Testing

@testable import HealthModel

@Suite("Sample entropy")
struct SampleEntropyTests {
  /// As Richman and Moorman define it: a match of three among the matches of two, none with itself.
  private func plain(_ x: [Double]) -> Double? {
    let mean = x.reduce(0, +) / Double(x.count)
    let deviation = (x.map { pow($0 - mean, 2) }.reduce(0, +) / Double(x.count - 1)).squareRoot()
    func matches(_ length: Int) -> Int {
      var count = 0
      for i in 0..<(x.count - 2) {
        for j in (i + 1)..<(x.count - 2) {
          let distance = (0..<length).map { abs(x[i + $0] - x[j + $0]) }.max() ?? 0
          if distance <= 0.2 * deviation { count += 1 }
        }
      }
      return count
    }
    let (two, three) = (matches(2), matches(3))
    return two == 0 ? nil : -log((three == 0 ? 0.5 : Double(three)) / Double(two))
  }

  @Test("it is that of the definition, also where nothing follows or nothing is alike", arguments: [3, 5, 10, 30, 128])
  func definition(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    var found = [Bool]()
    for _ in 0..<20 {
      let values = (0..<count).map { _ in (Double.random(in: 0.4...1.2, using: &random) * 128).rounded() / 128 }
      let (expected, entropy) = (plain(values), SampleEntropy.of(values))
      #expect((expected == nil) == (entropy == nil))
      if let expected, let entropy { #expect(abs(expected - entropy) < 1e-9) }
      found.append(entropy != nil)
    }
    #expect(found.contains(true) || count < 10)
  }

  @Test("it does not depend on how fast or how deep a rhythm is")
  func scale() throws {
    var random = SeededGenerator(seed: 5)
    let values = (0..<128).map { _ in Double.random(in: 0.4...1.2, using: &random) }
    let entropy = try #require(SampleEntropy.of(values))
    #expect(entropy > 1.6)
    #expect(abs(try #require(SampleEntropy.of(values.map { 0.9 + 0.125 * $0 })) - entropy) < 1e-9)
  }

  @Test("a rhythm that repeats itself has little, and what no heart has does no harm")
  func extremes() throws {
    #expect(try #require(SampleEntropy.of((0..<128).map { $0 % 2 == 0 ? 0.5 : 1.1 })) < 0.05)
    #expect(SampleEntropy.of([Double](repeating: 1, count: 128)) == 0)
    #expect(SampleEntropy.of((0..<128).map { $0 % 7 == 0 ? 1e300 : 1e-300 }) != nil)
    for count in 0..<3 { #expect(SampleEntropy.of([Double](repeating: 1, count: count)) == nil) }
  }
}
