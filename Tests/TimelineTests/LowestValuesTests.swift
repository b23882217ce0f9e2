import TestSupport
import Testing

@testable import Timeline

@Suite("Lowest values")
struct LowestValuesTests {
  @Test("the lowest of all that came are kept in order", arguments: 0..<20 as Range<UInt64>)
  func lowest(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let wanted = Int.random(in: 1...7, using: &generator)
    var lowest = LowestValues(count: wanted, beyond: Int.max)
    for _ in 0..<2 {
      lowest.removeAll()
      let values = (0..<40).map { _ in Int.random(in: 0...30, using: &generator) }
      for value in values { lowest.insert(value) }
      #expect(lowest.values == Array(values.sorted().prefix(wanted)), "seed \(seed)")
      #expect(lowest.greatest == lowest.values.last, "seed \(seed)")
    }
  }

  @Test("with fewer values than wanted, the greatest is the placeholder")
  func tooFew() {
    var lowest = LowestValues(count: 3, beyond: Int.max)
    lowest.insert(5)
    lowest.insert(4)
    #expect(lowest.values == [4, 5, .max])
    #expect(lowest.greatest == .max)
  }

  @Test("of equal values the one that came first counts")
  func equal() {
    struct Numbered: Comparable {
      var value: Int
      var number: Int

      static func < (one: Self, other: Self) -> Bool { one.value < other.value }
    }
    var lowest = LowestValues(count: 2, beyond: Numbered(value: .max, number: -1))
    for (number, value) in [3, 1, 3, 1, 1].enumerated() { lowest.insert(Numbered(value: value, number: number)) }
    #expect(lowest.values.map(\.number) == [1, 3])
  }
}
