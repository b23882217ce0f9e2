import TestSupport
import Testing

@testable import Timeline

@Suite("Selection")
struct SelectionTests {
  @Test(
    "the selected element is the one at that rank in order, and no element is lost", arguments: 0..<50 as Range<UInt64>)
  func rank(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...60, using: &generator)
    // Few different values, so that many are equal.
    let values = (0..<count).map { _ in
      Double(Int.random(in: 0...(seed.isMultiple(of: 2) ? 5 : 1000), using: &generator))
    }
    for rank in 0..<count {
      var selected = values
      #expect(selected.select(rank) == values.sorted()[rank], "seed \(seed), rank \(rank)")
      #expect(selected.sorted() == values.sorted(), "seed \(seed), rank \(rank)")
    }
  }

  @Test("values in order, in reverse and all equal are selected from too", arguments: [1, 2, 3, 40, 41])
  func order(count: Int) {
    let ascending = Array(0..<count)
    for rank in 0..<count {
      var values = ascending
      #expect(values.select(rank) == rank)
      values = ascending.reversed()
      #expect(values.select(rank) == rank)
      values = Array(repeating: 7, count: count)
      #expect(values.select(rank) == 7)
    }
  }
}
