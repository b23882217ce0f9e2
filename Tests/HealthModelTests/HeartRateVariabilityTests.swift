import HealthModel
import Testing

@Suite("HeartRateVariability")
struct HeartRateVariabilityTests {
  let start = Timestamp(microseconds: 1_700_000_000_000_000)

  func series(_ beats: [(ticks: Int64, gap: Bool, flags: Heartbeat.Flags)]) throws -> HeartbeatSeries {
    var builder = HeartbeatSeriesBuilder(timescale: 1000)
    for beat in beats {
      try builder.add(atTicks: beat.ticks, since: start, precededByGap: beat.gap, flags: beat.flags)
    }
    return try builder.finish()
  }

  func variability(_ stretches: [[Double]]) throws -> HeartRateVariability {
    HeartRateVariability(try NNIntervals(stretches: stretches))
  }

  func isNear(_ value: Double, _ expected: Double, _ tolerance: Double = 1e-9) -> Bool {
    abs(value - expected) <= tolerance
  }

  @Test("beats at 0.50, 1.49, 2.49, 3.48, 4.45 s: population SD 0.010897 s, RMSSD 14.14 ms, 60.76 beats per minute")
  func golden() throws {
    let beats = try series([500, 1490, 2490, 3480, 4450].map { ($0, false, []) })
    let figures = HeartRateVariability(NNIntervals(beats))
    #expect(isNear(try figures.sdnn(.population).value, 0.010897, 5e-7))
    #expect(isNear(try figures.rmssd().value, 0.014142, 5e-7))
    #expect(isNear(try figures.meanRate().value, 60.76, 5e-3))
    #expect(try figures.sdnn(.population).divisor == 4)
    #expect(try figures.sdnn().divisor == 3)
    #expect(try figures.sdnn().count == 4)
    #expect(try figures.rmssd().divisor == 3)
  }

  @Test("beats at 0.50, 1.49, then 3.48 preceded by a gap: exactly one interval of 0.99 s")
  func goldenGap() throws {
    let intervals = NNIntervals(try series([(500, false, []), (1490, false, []), (3480, true, [])]))
    #expect(intervals.seconds == [0.99])
    #expect(throws: VariabilityRefusal.tooFewPairs(needed: 1, available: 0)) {
      try HeartRateVariability(intervals).rmssd()
    }
  }

  @Test("the mean is taken over all stretches, differences only inside them")
  func stretches() throws {
    let figures = try variability([[1, 1.1], [2], [1, 0.9]])
    #expect(isNear(try figures.meanNN().value, 1.2))
    #expect(figures.pairCount == 2)
    #expect(isNear(try figures.rmssd().value, 0.1))
    #expect(isNear(try figures.sdsd(.population).value, 0.1))
    #expect(isNear(try figures.sdsd(.sample).value, 0.02.squareRoot()))
  }

  @Test("a difference of exactly 50 ms does not count as above 50 ms")
  func fifty() throws {
    let figures = try variability([[1, 1.05, 1, 1.051]])
    #expect(try figures.nn50().value == 1)
    #expect(isNear(try figures.pnn50().value, 100.0 / 3))
  }

  @Test("SD1 and SD2 follow from SDSD and SDNN of the same divisor")
  func poincare() throws {
    let figures = try variability([[1, 1.1, 1.3, 1.2]])
    for divisor in [HeartRateVariability.Divisor.population, .sample] {
      let sd1 = try figures.sd1(divisor).value
      let sd2 = try figures.sd2(divisor).value
      let sdnn = try figures.sdnn(divisor).value
      #expect(isNear(sd1 * sd1 + sd2 * sd2, 2 * sdnn * sdnn))
      #expect(isNear(sd1 * sd1 * 2, try figures.sdsd(divisor).value * figures.sdsd(divisor).value))
    }
    #expect(throws: VariabilityRefusal.negativeVariance) { try variability([[1, 2, 1, 2, 1]]).sd2() }
  }

  @Test("SDANN and SDNN index are taken over five-minute segments that are at least half full")
  func segments() throws {
    let slow = Array(repeating: [0.9, 1.1], count: 150).flatMap(\.self)
    let fast = Array(repeating: [0.4, 0.6], count: 300).flatMap(\.self)
    // 0.5 s first keeps rounding away from the borders; the last 100 s are too short for a segment.
    let figures = try variability([[0.5] + slow + fast + Array(repeating: 1, count: 100)])
    let sdann = try figures.sdann(.population)
    #expect(sdann.count == 2)
    #expect(isNear(sdann.value, 0.25, 2e-3))
    let index = try figures.sdnnIndex(.population)
    #expect(index.count == 2)
    #expect(isNear(index.value, 0.1, 2e-2))
    #expect(throws: VariabilityRefusal.tooFewSegments(needed: 2, available: 1)) { try variability([slow]).sdann() }
    #expect(throws: VariabilityRefusal.tooFewSegments(needed: 1, available: 0)) {
      try variability([[1, 1]]).sdnnIndex()
    }
  }

  @Test("nothing, one interval and only gaps are refused with a reason")
  func refusals() throws {
    let beats = try series([(0, true, []), (1000, true, []), (2000, true, [])])
    for intervals in [try NNIntervals(stretches: []), NNIntervals(beats), NNIntervals(HeartbeatSeries())] {
      let none = HeartRateVariability(intervals)
      #expect(throws: VariabilityRefusal.tooFewIntervals(needed: 1, available: 0)) { try none.meanNN() }
      #expect(throws: VariabilityRefusal.tooFewIntervals(needed: 1, available: 0)) { try none.meanRate() }
      #expect(throws: VariabilityRefusal.tooFewIntervals(needed: 2, available: 0)) { try none.sdnn() }
      #expect(throws: VariabilityRefusal.tooFewPairs(needed: 1, available: 0)) { try none.pnn50() }
      #expect(throws: VariabilityRefusal.tooFewIntervals(needed: 2, available: 0)) { try none.sd2() }
    }
    let one = try variability([[1]])
    #expect(try one.sdnn(.population).value == 0)
    #expect(throws: VariabilityRefusal.tooFewIntervals(needed: 2, available: 1)) { try one.sdnn() }
    #expect(throws: VariabilityRefusal.tooFewPairs(needed: 1, available: 0)) { try one.rmssd() }
    #expect(throws: VariabilityRefusal.tooFewPairs(needed: 2, available: 1)) { try variability([[1, 1]]).sdsd() }
  }

  @Test("intervals of 0 give figures of 0 and no rate; negative ones and those that are no number are refused")
  func zeros() throws {
    let figures = try variability([[0, 0, 0]])
    #expect(try figures.sdnn().value == 0)
    #expect(try figures.rmssd().value == 0)
    #expect(try figures.sd2().value == 0)
    #expect(throws: VariabilityRefusal.noDuration) { try figures.meanRate() }
    for bad in [-0.1, .nan, .infinity] {
      #expect(throws: VariabilityRefusal.invalidInterval(index: 2)) { try variability([[1], [1, bad]]) }
    }
  }
}
