import HealthModel
import TestSupport
import Testing

@Suite("The step in which intervals are told")
struct IntervalStepTests {
  private func series(_ intervals: [UInt32], timescale: Int32 = 1024) throws -> HeartbeatSeries {
    var builder = HeartbeatSeriesBuilder(timescale: timescale)
    try builder.beginRun(AffineTimeMap(anchor: Timestamp(microseconds: 0)))
    for (index, interval) in intervals.enumerated() {
      try builder.add(rrTicks: interval, precededByGap: index == 0, flags: index == 0 ? .firstOfRun : [])
    }
    return try builder.finish()
  }

  /// A resting heart's intervals in seconds.
  private func heart(_ count: Int, spread: Double) -> [Double] {
    var generator = SeededGenerator(seed: 7)
    return (0..<count).map { _ in 0.9 + .random(in: -spread...spread, using: &generator) }
  }

  @Test("is found where nearly all are multiples of one, else it is a tick", arguments: [0.1, 0.05, 0.02, 0.01])
  func found(step: Double) throws {
    let coarse = heart(300, spread: 0.15).map { UInt32((($0 / step).rounded() * step * 1024).rounded()) }
    #expect(try series(coarse).intervalStep == step)
    #expect(try series(heart(300, spread: 0.15).map { UInt32(($0 * 1024).rounded()) }).intervalStep == 1.0 / 1024)
    #expect(try series([UInt32](repeating: 1024, count: 300)).intervalStep == 1.0 / 1024, "a heart like a clock")
    #expect(try series(Array(coarse.prefix(20))).intervalStep == 1.0 / 1024, "too few")
    #expect(try series([1, 2, 3], timescale: 100).intervalStep == 0.01)
  }

  @Test(
    "no figure is given that rounding moves by more than 5 %", arguments: [0.1, 0.05, 0.02, 0.01], [0.01, 0.05, 0.15])
  func refused(step: Double, spread: Double) throws {
    let fine = heart(2000, spread: spread).map { UInt32(($0 * 1024).rounded()) }
    let coarse = heart(2000, spread: spread).map { UInt32((($0 / step).rounded() * step * 1024).rounded()) }
    // Of a heart so even that one value is left nobody can tell.
    guard Set(coarse).count > 1 else { return }
    let rounded = HeartRateVariability(NNIntervals(try series(coarse)))
    let exact = HeartRateVariability(NNIntervals(try series(fine)))
    if let sdnn = try? rounded.sdnn().value { #expect(abs(sdnn / (try exact.sdnn().value) - 1) < 0.05) }
    if let rmssd = try? rounded.rmssd().value { #expect(abs(rmssd / (try exact.rmssd().value) - 1) < 0.05) }
    if step == 0.1, spread < 0.1 { #expect(throws: VariabilityRefusal.self) { try rounded.rmssd() } }
    if step == 0.01, spread == 0.05 { #expect(try rounded.rmssd().value > 0.03) }
  }
}
