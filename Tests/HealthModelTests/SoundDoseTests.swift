import HealthModel
import Testing

@Suite("Sound dose")
struct SoundDoseTests {
  /// Hours after the week's start.
  private static func exposure(_ decibels: Double, _ from: Double, _ to: Double) -> SoundDose.Exposure {
    SoundDose.Exposure(decibels, over: TimeSpan(start: time(from), end: time(to)) ?? TimeSpan(at: time(from)))
  }

  private static func time(_ hours: Double) -> Timestamp {
    Timestamp(microseconds: 1_790_000_000_000_000 + Int64(hours * 3_600_000_000))
  }

  private static func dose(_ exposures: [SoundDose.Exposure], before hours: Double = 168) -> Double {
    SoundDose.week(of: exposures, before: time(hours))
  }

  @Test(
    "all of a week is 40 h at 80 dB(A), and 3 dB more halve the time (H.870, mode 1)",
    arguments: [(80, 40), (83, 20), (86, 10), (89, 5), (77, 80), (107, 40.0 / 512)] as [(Double, Double)])
  func exchange(decibels: Double, hours: Double) {
    #expect(abs(Self.dose([Self.exposure(decibels, 0, hours)]) - 1) < 1e-9)
  }

  @Test("levels add up; silence adds nothing; what is outside of the seven days does not count")
  func sums() {
    let half = [Self.exposure(80, 0, 10), Self.exposure(83, 20, 25)]
    #expect(abs(Self.dose(half) - 0.5) < 1e-9)
    #expect(Self.dose([]) == 0)
    let long = [Self.exposure(80, -100, 20), Self.exposure(80, 160, 300)]
    #expect(abs(Self.dose(long) - 28.0 / 40) < 1e-9)
    #expect(abs(Self.dose(half, before: 173) - 0.375) < 1e-9, "the first five hours are over")
    #expect(Self.dose([Self.exposure(.nan, 0, 10), Self.exposure(80, 5, 5)]) == 0)
  }

  @Test("where programs tell of the same time the loudest counts, in whatever order they come")
  func overlaps() {
    let exposures = [Self.exposure(80, 0, 20), Self.exposure(83, 10, 15), Self.exposure(60, 12, 30)]
    let quiet = 10.0 / 40 * 0.009_843_133  // 2^(-20/3)
    let expected = 15.0 / 40 + 5.0 / 20 + quiet
    #expect(abs(Self.dose(exposures) - expected) < 1e-6)
    #expect(Self.dose(exposures) == Self.dose(exposures.reversed()))
  }
}
