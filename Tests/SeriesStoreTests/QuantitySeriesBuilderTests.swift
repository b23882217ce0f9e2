import FoundationEssentials
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("QuantitySeriesBuilder")
struct QuantitySeriesBuilderTests {
  private let start = Timestamp(microseconds: 1_000_000)

  private func at(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }

  /// The quantities of a finished sample.
  private func quantities(_ sample: NewSample) throws -> [[Double]] {
    let content = try #require(sample.content as? QuantityContent)
    return try content.chunks.flatMap { packed in
      let track = QuantityTrack(try QuantityChunk(decoding: packed.payload))
      return track.starts.indices.map { index in
        [
          Double(track.starts[index]) / 1e6, Double(track.ends.isEmpty ? track.starts[index] : track.ends[index]) / 1e6,
          track.values[index],
        ]
      }
    }
  }

  @Test("inserts in any order come out sorted by start, and the same start replaces the earlier value")
  func sorting() throws {
    var builder = QuantitySeriesBuilder(type: .heartRate, start: start)
    for (second, value) in [(5, 60.0), (9, 61), (3, 62), (5, 63), (9, 64), (7, 65), (3, 66)] as [(Int64, Double)] {
      try builder.insert(value, from: at(second), to: at(second))
    }
    let sample = try builder.finish()
    #expect(try quantities(sample) == [[3, 3, 66], [5, 5, 63], [7, 7, 65], [9, 9, 64]])
    #expect(sample.span.end == at(9))
  }

  @Test("random inserts agree with a dictionary, however they are packed", arguments: 0..<12)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var builder = QuantitySeriesBuilder(type: .heartRate, start: at(0))
    var expected: [Int64: [Double]] = [:]
    let count = seed < 10 ? 500 : 12_000
    for step in 0..<count {
      let isOrdered = Int.random(in: 0..<10, using: &random) < Int(seed % 10)
      let second = isOrdered ? Int64(step) : Int64.random(in: 0..<Int64(count), using: &random)
      let value = Double(Int.random(in: 40...200, using: &random))
      let end = second + Int64.random(in: 0...3, using: &random)
      try builder.insert(value, from: at(second), to: at(end))
      expected[second] = [Double(second), Double(end), value]
    }
    let sample = try builder.finish()
    #expect(try quantities(sample) == expected.sorted { $0.key < $1.key }.map(\.value))
  }

  @Test("units are converted to the type's; another dimension is an error that names both")
  func units() throws {
    var builder = QuantitySeriesBuilder(type: .distanceCycling, start: start)
    try builder.insert(Quantity(1.5, try Unit(parsing: "km")), for: TimeSpan(at: start))
    #expect(throws: SeriesError.incompatibleUnit(unit: "kg", type: "distanceCycling")) {
      try builder.insert(Quantity(1, .kilogram), for: TimeSpan(at: start))
    }
    #expect(try quantities(try builder.finish()).first?.last == 1500)
  }

  @Test("invalid inserts and finishes are errors that lose nothing")
  func errors() throws {
    var builder = QuantitySeriesBuilder(type: .heartRate, start: start)
    #expect(throws: SeriesError.empty) { try builder.finish() }
    #expect(throws: SeriesError.startsBeforeSeries) { try builder.insert(60, from: at(0), to: at(2)) }
    #expect(throws: SeriesError.endsBeforeStart) { try builder.insert(60, from: at(3), to: at(2)) }
    #expect(throws: SeriesError.notFinite) { try builder.insert(.nan, from: at(3), to: at(3)) }
    #expect(throws: SeriesError.notFinite) { try builder.insert(.infinity, from: at(3), to: at(3)) }
    try builder.insert(60, from: at(3), to: at(5))
    #expect(throws: SeriesError.endsBeforeInsertedEnd) { try builder.finish(end: at(4)) }
    #expect(try builder.finish(end: at(6)).span.end == at(6))
    #expect(throws: SeriesError.finished) { try builder.insert(60, from: at(8), to: at(8)) }
    #expect(throws: SeriesError.finished) { try builder.finish() }
    #expect(throws: SeriesError.finished) { try builder.discard() }
    var discarded = QuantitySeriesBuilder(type: .heartRate, start: start)
    try discarded.insert(60, from: at(3), to: at(5))
    try discarded.discard()
    #expect(throws: SeriesError.finished) { try discarded.finish() }
  }

  @Test("as recorded, equal starts are all kept, and an earlier one is an error")
  func recorded() throws {
    var builder = QuantitySeriesBuilder(type: .heartRate, start: start, order: .recorded)
    for value in [60.0, 60, 61] { try builder.insert(value, from: at(3), to: at(3)) }
    #expect(throws: SeriesError.timeDecreases(index: 3)) { try builder.insert(60, from: at(2), to: at(2)) }
    #expect(try quantities(try builder.finish()).map { $0[2] } == [60, 60, 61])
  }
}
