import TestSupport
import Testing

@testable import SeriesStore

@Suite("SummaryCell")
struct SummaryCellTests {
  @Test("heart rates 64, 66, 67, 65, 63 at 0, 2, 4, 6, 8 s: their figures and integrals")
  func golden() {
    var cell = SummaryCell()
    for (index, value) in [64.0, 66, 67, 65, 63].enumerated() {
      cell.add(value, start: Int64(index) * 2_000_000, end: Int64(index) * 2_000_000)
    }
    #expect(cell.count == 5)
    #expect(cell.sum / 5 == 65)
    #expect(cell.minimum == 63 && cell.maximum == 67 && cell.last == 63 && cell.lastStart == 8_000_000)
    #expect(cell.covered == 8_000_000)
    #expect(cell.held / 8_000_000 == 65.5)
    #expect(cell.trapezoid / 8_000_000 == 65.375)
  }

  @Test("time is covered by durations, once where they overlap, and by gaps of up to ten seconds")
  func coverage() {
    var cell = SummaryCell()
    cell.add(1, start: 0, end: 5_000_000)
    cell.add(1, start: 3_000_000, end: 6_000_000)
    cell.add(1, start: 3_000_000, end: 4_000_000)
    cell.add(1, start: 16_000_000, end: 16_000_000)
    #expect(cell.covered == 16_000_000)
    cell.add(1, start: 26_000_001, end: 26_000_002)
    #expect(cell.covered == 16_000_001)
    #expect(cell.maximumEnd == 26_000_002)
    #expect(cell.duration == 9_000_001)
  }

  @Test("cells come back as they were, whole numbers or not, before 1970 too", arguments: 0..<30)
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var cells: [SummaryCell] = []
    var time = Int64.random(in: -2_000_000_000...2_000_000_000, using: &random) * 1_000_000
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      time = SummaryCell.floor(time) + Int64.random(in: 1...3, using: &random) * SummaryCell.length
      var cell = SummaryCell()
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        time += Int64.random(in: 0...20_000_000, using: &random)
        let value =
          seed % 3 == 0 ? Double.random(in: -1...1, using: &random) : Double(Int.random(in: 1...99, using: &random))
        cell.add(value, start: time, end: time + (seed % 2 == 0 ? 0 : Int64.random(in: 0...99_000_000, using: &random)))
      }
      cells.append(cell)
    }
    #expect(try SummaryCells.decode(SummaryCells.encode(cells)) == cells)
  }

  @Test("random bytes with a correct checksum are refused or read, but never trap")
  func fuzz() {
    var random = SeededGenerator(seed: 97)
    for _ in 0..<20_000 {
      var bytes = (0..<Int.random(in: 5...80, using: &random)).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
      bytes[4] = SummaryCells.layout
      if bytes.count > 6 { bytes[5] %= 7 }
      _ = try? SummaryCells.decode(ChunkSeal.seal(bytes))
    }
  }
}
