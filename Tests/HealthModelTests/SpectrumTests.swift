import Foundation
import HealthModel
import TestSupport
import Testing

@Suite("Spectrum of NN intervals")
struct SpectrumTests {
  /// Intervals in milliseconds, the same on every machine.
  static let uneven = (0..<400).filter { !(100..<104).contains($0) }.map { index -> Double in
    let noise = Double(index * index * 7919 % 101 - 50) * 0.5
    return (900 + 40 * sin(Double(index) * 0.37) + 25 * sin(Double(index) * 1.31) + noise).rounded()
  }

  static func variability(_ milliseconds: [Double]) throws -> HeartRateVariability {
    HeartRateVariability(try NNIntervals(stretches: [milliseconds.map { $0 / 1000 }]))
  }

  static func isNear(_ value: Double, _ expected: Double, share: Double = 1e-6) -> Bool {
    abs(value - expected) <= share * abs(expected)
  }

  /// Beats whose intervals swing by `amplitude` seconds at `frequency`, `seconds` long.
  static func swinging(_ amplitude: Double, at frequency: Double, seconds: Double) -> [Double] {
    var time = 0.0
    var intervals: [Double] = []
    while time < seconds {
      let interval = 0.9 + amplitude * sin(2 * Double.pi * frequency * time)
      intervals.append(interval * 1000)
      time += interval
    }
    return intervals
  }

  @Test(
    "a swing of one frequency has its variance as power, in its own band",
    arguments: [(0.08, FrequencyBand.low), (0.12, .low), (0.2, .high), (0.3, .high)])
  func sinusoid(frequency: Double, band: FrequencyBand) throws {
    let figures = try Self.variability(Self.swinging(0.02, at: frequency, seconds: 1200))
    let power = try figures.power(in: band)
    #expect(Self.isNear(power.value, 0.0002, share: 0.05))
    #expect(power.divisor == 4)
    #expect(power.count == figures.count)
    for other in [FrequencyBand.low, .high] where other != band {
      #expect(try figures.power(in: other).value < 0.0002 * 0.03)
    }
  }

  @Test("the very low band is read from stretches of an hour")
  func veryLow() throws {
    let figures = try Self.variability(Self.swinging(0.02, at: 0.01, seconds: 4000))
    #expect(Self.isNear(try figures.power(in: .veryLow).value, 0.0002, share: 0.05))
    #expect(throws: VariabilityRefusal.self) {
      try Self.variability(Self.swinging(0.02, at: 0.01, seconds: 3300)).power(in: .veryLow)
    }
  }

  @Test("the power of noise over all its bands is its variance, whatever its shape")
  func noise() throws {
    var generator = SeededGenerator(seed: 7)
    let intervals = (0..<4000).map { _ in 500 + Double.random(in: -20...20, using: &generator) }
    let figures = try Self.variability(intervals)
    let variance = try figures.sdnn(.population).value * figures.sdnn(.population).value
    let both = try figures.power(in: .low).value + figures.power(in: .high).value
    // Two beats a second: white up to 1 Hz.
    #expect(Self.isNear(both, variance * 0.36, share: 0.1))
  }

  @Test("powers equal those of SciPy's Lomb-Scargle periodogram under the same normalisation")
  func scipy() throws {
    // scipy.signal.lombscargle 1.17.1, unnormalised, on the same segments without their linear trend.
    let figures = try Self.variability(Self.uneven)
    #expect(Self.isNear(try figures.power(in: .low).value * 1e6, 933.0936749))
    #expect(Self.isNear(try figures.power(in: .high).value * 1e6, 357.5832942))
  }

  @Test(
    "powers of real series equal those of SciPy",
    .enabled(if: RealIntervals.folder != nil, "left out: SENSORD_TEST_DATA is not set"))
  func scipyOnRealSeries() throws {
    let rest = try Self.variability(RealIntervals.named("rhenanbartels-hrv/rest_rri.txt"))
    #expect(Self.isNear(try rest.power(in: .low).value * 1e6, 965.3435255))
    #expect(Self.isNear(try rest.power(in: .high).value * 1e6, 1088.3908))
    let short = try Self.variability(RealIntervals.named("pyhrv/SampleNNISeriesShort.npy"))
    #expect(Self.isNear(try short.power(in: .low).value * 1e6, 1538.237102))
    #expect(Self.isNear(try short.power(in: .high).value * 1e6, 4145.207196))
    let long = try Self.variability(RealIntervals.named("pyhrv/SampleNNISeriesLong.npy"))
    #expect(Self.isNear(try long.power(in: .veryLow).value * 1e6, 2396.059271))
    #expect(Self.isNear(try long.power(in: .low).value * 1e6, 2594.382254))
    #expect(Self.isNear(try long.power(in: .high).value * 1e6, 1313.427505))
  }

  @Test("short holes are bridged without filling them in, long ones part the record")
  func holes() throws {
    let start = Timestamp(microseconds: 1_700_000_000_000_000)
    func series(hole: Double) throws -> NNIntervals {
      var builder = HeartbeatSeriesBuilder(timescale: 1000)
      var ticks = 0.0
      for index in 0..<400 {
        // Twelve seconds, in which one beat of ten is lost where there is no hole.
        if index == 200 { ticks += hole * 1000 }
        ticks += 900 + 20 * sin(2 * Double.pi * 0.2 * ticks / 1000)
        try builder.add(
          atTicks: Int64(ticks), since: start, precededByGap: index == 200 || index % 40 == 39,
          flags: index % 40 == 39 ? .missed : [])
      }
      return NNIntervals(try builder.finish())
    }
    let whole = try HeartRateVariability(series(hole: 3)).power(in: .high)
    #expect(whole.divisor == 1)
    #expect(Self.isNear(whole.value, 0.0002, share: 0.1))
    let parted = try HeartRateVariability(series(hole: 30)).power(in: .high)
    #expect(parted.divisor == 2)
    #expect(Self.isNear(parted.value, 0.0002, share: 0.1))
  }

  @Test("a record that is too short for a band, or too full of holes, is refused with what is needed")
  func refusals() throws {
    let short = try Self.variability(Array(repeating: 1000, count: 50))
    #expect(throws: VariabilityRefusal.stretchTooShort(neededSeconds: 55, availableSeconds: 50)) {
      try short.power(in: .high)
    }
    #expect(throws: VariabilityRefusal.stretchTooShort(neededSeconds: 115, availableSeconds: 50)) {
      try short.lowToHighRatio()
    }
    #expect(throws: VariabilityRefusal.stretchTooShort(neededSeconds: 115, availableSeconds: 0)) {
      try Self.variability([]).power(in: .low)
    }
    var builder = HeartbeatSeriesBuilder(timescale: 1000)
    let start = Timestamp(microseconds: 0)
    for index in 0..<300 {
      try builder.add(atTicks: Int64(index) * 1000, since: start, flags: index % 3 == 0 ? .ectopic : [])
    }
    let thin = HeartRateVariability(NNIntervals(try builder.finish()))
    #expect(throws: VariabilityRefusal.segmentsTooThin(neededCoverage: 0.8)) { try thin.power(in: .high) }
  }

  @Test("equal intervals have no power, and no ratio")
  func noPower() throws {
    let even = try Self.variability(Array(repeating: 1000, count: 400))
    #expect(try even.power(in: .low).value == 0)
    #expect(throws: VariabilityRefusal.noPower(.high)) { try even.lowToHighRatio() }
    #expect(throws: VariabilityRefusal.self) { try Self.variability(Array(repeating: 0, count: 400)).power(in: .high) }
  }
}
