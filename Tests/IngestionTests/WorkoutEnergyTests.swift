import FoundationEssentials
import HealthModel
import SeriesStore
import Testing

@testable import Ingestion

@Suite("The energy that a strap counts in a workout")
struct WorkoutEnergyTests {
  private static func rate(_ second: Int64, _ kilojoules: UInt16?) -> HeartRateValue {
    HeartRateValue(time: at(second), beatsPerMinute: 100, energyKilojoules: kilojoules)
  }

  private static func at(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }

  private static func growths(_ rates: [HeartRateValue], _ start: Int64, _ end: Int64) -> [WorkoutEnergy.Growth] {
    TimeSpan(start: at(start), end: at(end)).map { WorkoutEnergy.growths(in: rates, over: $0) } ?? []
  }

  private static func growth(_ kilojoules: Double, _ start: Int64, _ end: Int64) -> WorkoutEnergy.Growth {
    WorkoutEnergy.Growth(kilojoules: kilojoules, span: TimeSpan(start: at(start), end: at(end)) ?? TimeSpan(at: at(0)))
  }

  @Test("is what its sum grew by between start and end, each from the field before")
  func growth() {
    let rates = [
      Self.rate(0, 40), Self.rate(10, 50), Self.rate(11, nil), Self.rate(20, 52), Self.rate(30, 52), Self.rate(40, 60),
      Self.rate(50, 90),
    ]
    #expect(
      Self.growths(rates, 5, 45) == [Self.growth(10, 5, 10), Self.growth(2, 10, 20), Self.growth(8, 30, 40)])
    #expect(Self.growths(rates, 60, 70).isEmpty && Self.growths([], 0, 70).isEmpty)
  }

  @Test("begins anew after a reset, and an overflow tells nothing")
  func reset() {
    let rates = [Self.rate(0, 65_530), Self.rate(10, 65_535), Self.rate(20, 3), Self.rate(30, 5)]
    #expect(Self.growths(rates, 0, 30) == [Self.growth(3, 0, 20), Self.growth(2, 20, 30)])
  }

  @Test("is a sample in kilocalories with an identity of its own, and none where the strap sends none")
  func sample() throws {
    let span = try #require(TimeSpan(start: Self.at(0), end: Self.at(100)))
    let rates = [Self.rate(0, 0), Self.rate(100, 4_184)]
    let sample = try #require(
      try WorkoutEnergy.sample(of: Invented.session(1), from: rates, over: span, device: nil))
    #expect(sample.type == .quantity(.activeEnergyBurned) && sample.span == span && sample.id != Invented.session(1))
    let again = try WorkoutEnergy.sample(of: Invented.session(1), from: rates, over: span, device: nil)
    #expect(again?.id == sample.id && again?.sync == sample.sync)
    #expect(
      try WorkoutEnergy.sample(of: Invented.session(1), from: [Self.rate(1, nil)], over: span, device: nil) == nil)
  }
}
