import HealthModel
import TestSupport
import Testing

@Suite("StatisticsBuckets")
struct StatisticsBucketsTests {
  static let second: Int64 = 1_000_000

  /// The statistics of one series over one bucket that holds all of it.
  private func statistics(
    of type: QuantityType, _ track: QuantityTrack, policy: WeightingPolicy = .ownDuration
  ) throws -> Statistics {
    var buckets = try StatisticsBuckets(edges: [-1000, 3600 * Self.second], type: type, policy: policy)
    buckets.add([[track]])
    return try #require(try buckets.results(.all(for: type), sources: [DataSource(source: "strap")]).first)
  }

  private let rates = QuantityTrack(
    starts: [0, 2, 4, 6, 8].map { $0 * second }, values: [64, 66, 67, 65, 63])

  @Test("heart rates 64, 66, 67, 65, 63 at 0, 2, 4, 6, 8 s: average 65, minimum 63, maximum 67, most recent 63 at 8 s")
  func heartRates() throws {
    let result = try statistics(of: .heartRate, rates)
    #expect(result.average == 65)
    #expect(result.minimum == 63)
    #expect(result.maximum == 67)
    #expect(result.mostRecent == 63)
    #expect(result.mostRecentSpan == TimeSpan(at: Timestamp(microseconds: 8 * Self.second)))
    #expect(result.count == 5)
    #expect(result.sum == nil)
    #expect(result.coverage.covered == 8 * Self.second)
    #expect(result.sources == [DataSource(source: "strap")])
    #expect(result.policy == .ownDuration)
  }

  @Test("the same, hold-last 65.5, trapezoid 65.375")
  func policies() throws {
    let gap = 10 * Self.second
    #expect(try statistics(of: .heartRate, rates, policy: .holdLast(maximumGapMicroseconds: gap)).average == 65.5)
    #expect(try statistics(of: .heartRate, rates, policy: .trapezoid(maximumGapMicroseconds: gap)).average == 65.375)
  }

  @Test("distances 1, 2, 3 km make 6 km")
  func distances() throws {
    let track = QuantityTrack(
      starts: [0, 10, 20].map { $0 * Self.second }, ends: [10, 20, 30].map { $0 * Self.second },
      values: [1000, 2000, 3000])
    let result = try statistics(of: .distanceCycling, track)
    #expect(result.sum == 6000)
    #expect(result.average == nil)
    #expect(result.duration == 30 * Self.second)
  }

  @Test("a quantity weighs as long as it lasts")
  func ownDuration() throws {
    let track = QuantityTrack(
      starts: [0, 10 * Self.second], ends: [10 * Self.second, 40 * Self.second], values: [60, 100])
    #expect(try statistics(of: .heartRate, track).average == 90)
  }

  @Test("levels of 80 and 90 dB of equal length are 87.4 dB, not 85")
  func level() throws {
    let track = QuantityTrack(starts: [0, 10], ends: [10, 20], values: [80, 90])
    let average = try #require(try statistics(of: .environmentalAudioExposure, track).average)
    #expect(abs(average - 87.403626894942439) < 1e-9)
  }

  @Test("a quantity that straddles a border is divided by time where it adds up, and counts by its start where not")
  func straddling() throws {
    let track = QuantityTrack(starts: [50], ends: [150], values: [100])
    var steps = try StatisticsBuckets(edges: [0, 100, 125, 300], type: .stepCount)
    steps.add([[track]])
    #expect(try steps.results([.sum], sources: []).map(\.sum) == [50, 25, 25])
    var rates = try StatisticsBuckets(edges: [0, 100, 125, 300], type: .heartRate)
    rates.add([[track]])
    #expect(try rates.results([.average], sources: []).map(\.average) == [100, nil, nil])
  }

  @Test("a figure that is not meaningful for the style is an error that says so")
  func options() throws {
    let rates = try StatisticsBuckets(edges: [0, 1], type: .heartRate)
    #expect(throws: StatisticsError.notForDiscrete(option: "sum", type: "heartRate")) {
      try rates.results([.sum], sources: [])
    }
    let steps = try StatisticsBuckets(edges: [0, 1], type: .stepCount)
    for (option, name) in [(StatisticsOptions.average, "average"), (.minimum, "minimum"), (.maximum, "maximum")] {
      #expect(throws: StatisticsError.notForCumulative(option: name, type: "stepCount")) {
        try steps.results([option], sources: [])
      }
    }
    #expect(throws: StatisticsError.emptyRange) { try StatisticsBuckets(edges: [5, 5], type: .heartRate) }
  }

  @Test("the source of the highest priority counts for the time it covers, the others for the rest")
  func priority() throws {
    let watch = QuantityTrack(starts: [0, 2, 4].map { $0 * Self.second }, values: [60, 60, 60])
    let strap = QuantityTrack(starts: [1, 3, 9].map { $0 * Self.second }, values: [90, 90, 120])
    var buckets = try StatisticsBuckets(edges: [0, 100 * Self.second], type: .heartRate)
    buckets.add([[watch], [strap]])
    let result = try buckets.results([.average], sources: [DataSource(source: "a"), DataSource(source: "b")])[0]
    #expect(result.count == 4)
    // The strap's own mean is 120, and it has 5 of the 9 seconds.
    #expect(abs((result.average ?? 0) - (60 * 4 + 120 * 5) / 9) < 1e-9)
    #expect(result.sourceWeights == [4.0 / 9, 5.0 / 9])
    #expect(result.coverage.covered == 9 * Self.second)
    #expect(result.sources.map(\.source) == ["a", "b"])
  }

  @Test("sources beyond those that are named are counted, and not named")
  func unnamedSources() throws {
    var buckets = try StatisticsBuckets(edges: [0, 100 * Self.second], type: .heartRate)
    buckets.add((0..<70).map { [QuantityTrack(starts: [Int64($0) * Self.second], values: [60])] })
    for named in [0, 1, 64, 66] {
      let sources = (0..<named).map { DataSource(source: "source \($0)") }
      let result = try buckets.results([.average], sources: sources)[0]
      #expect(result.count == 70)
      #expect(result.sources == sources)
    }
  }

  @Test("ten thousand random cases agree with a count over single seconds", arguments: 0..<10)
  func bruteForce(part: UInt64) throws {
    let seed = 20_260 + part
    var random = SeededGenerator(seed: seed)
    for number in 0..<1000 {
      let problem = StatisticsProblem(&random)
      if let difference = try problem.difference() {
        Issue.record("seed \(seed), case \(number): \(difference)")
        return
      }
    }
  }
}
