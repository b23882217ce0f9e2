import HealthModel
import Testing

@Suite("Weights of sources in an average")
struct SourceWeightTests {
  private static let second: Int64 = 1_000_000

  private func average(_ sources: [[QuantityTrack]], policy: WeightingPolicy = .ownDuration) throws -> Statistics {
    var buckets = try StatisticsBuckets(edges: [0, 7200 * Self.second], type: .heartRate, policy: policy)
    buckets.add(sources)
    let names = sources.indices.map { DataSource(source: "\($0)") }
    return try #require(buckets.results([.average], sources: names).first)
  }

  private let strap = QuantityTrack(
    starts: (0..<3600).map { $0 * SourceWeightTests.second }, values: Array(repeating: 120, count: 3600))

  @Test("one value with a duration does not outweigh an hour of rates without")
  func strapAndWatch() throws {
    let watch = QuantityTrack(starts: [5000 * Self.second], ends: [5001 * Self.second], values: [60])
    let result = try average([[strap], [watch]])
    #expect(abs((result.average ?? 0) - (120 * 3599 + 60) / 3600) < 1e-9)
    #expect(result.sourceWeights.count == 2 && abs(result.sourceWeights[1] - 1.0 / 3600) < 1e-12)
    #expect(result.policy == .ownDuration && result.sources.count == 2)
  }

  @Test("within a source own durations weigh")
  func withinSource() throws {
    let track = QuantityTrack(
      starts: [0, 10 * Self.second], ends: [3 * Self.second, 11 * Self.second], values: [60, 80])
    let result = try average([[track]])
    #expect(result.average == 65)
    #expect(result.sourceWeights.isEmpty)
  }

  @Test("sources that cover no time weigh by how often they measured")
  func withoutCover() throws {
    let one = QuantityTrack(starts: [0, 100 * Self.second, 200 * Self.second], values: [60, 60, 60])
    let other = QuantityTrack(starts: [50 * Self.second], values: [100])
    let result = try average([[one], [other]])
    #expect(result.average == 70 && result.sourceWeights == [0.75, 0.25])
  }

  @Test("a maximum gap of any length is accepted", arguments: [Int64.max, Int64.max - 1, 1 << 62] as [Int64])
  func endlessGap(gap: Int64) throws {
    for policy in [WeightingPolicy.holdLast(maximumGapMicroseconds: gap), .trapezoid(maximumGapMicroseconds: gap)] {
      let result = try average([[strap]], policy: policy)
      #expect(result.count == 3600 && result.average == 120)
    }
  }
}
