import Testing

@testable import SeriesStore

@Suite("QuantityPacker")
struct QuantityPackerTests {
  @Test(
    "a chunk is an hour where values are frequent; where they are rare it is 60 of them, or a day",
    arguments: [
      (every: 1, hours: 2, counts: [3600, 3600]),
      (every: 60, hours: 2, counts: [60, 60]),
      (every: 61, hours: 2, counts: [60, 59]),
      (every: 300, hours: 24, counts: [60, 60, 60, 60, 48]),
      (every: 3600, hours: 72, counts: [24, 24, 24]),
      (every: 86_400, hours: 72, counts: [1, 1, 1]),
    ] as [(every: Int64, hours: Int64, counts: [Int])])
  func chunks(every: Int64, hours: Int64, counts: [Int]) throws {
    var packer = QuantityPacker()
    var chunks: [QuantityPacker.Packed] = []
    // Not at the beginning of an hour.
    for second in stride(from: 1000, to: 1000 + hours * 3600, by: Int64.Stride(every)) {
      let time = second * 1_000_000
      if let chunk = packer.add(QuantityPacker.Item(value: 60, start: time, end: time)) { chunks.append(chunk) }
    }
    if let chunk = packer.finish() { chunks.append(chunk) }
    #expect(chunks.map(\.summary.count) == counts)
    #expect(try chunks.map { try QuantityChunk(decoding: $0.payload).times.count } == counts)
  }

  @Test("rare values in front of frequent ones do not make a chunk longer than the hour needs")
  func mixed() {
    var packer = QuantityPacker()
    var chunks: [QuantityPacker.Packed] = []
    // Three in three hours, then a workout with one a second.
    for second in [0, 3600, 7200] + Array(10_800..<14_400) {
      let time = Int64(second) * 1_000_000
      if let chunk = packer.add(QuantityPacker.Item(value: 60, start: time, end: time)) { chunks.append(chunk) }
    }
    if let chunk = packer.finish() { chunks.append(chunk) }
    #expect(chunks.map(\.summary.count) == [60, 3543])
  }
}
