import GATTHeartRate
import Testing

@testable import Simulator

@Suite("A heart that never stops")
struct PlausibleHeartTests {
  /// A notification each second for an hour.
  private func hour(seed: UInt64) -> [HeartRateMeasurement] {
    var heart = PlausibleHeart(seed: seed)
    return (1...3600).compactMap { second in
      heart.beat(until: Double(second))
      return try? HeartRateMeasurement(decoding: heart.notification())
    }
  }

  @Test("no interval is lost or invented: an hour of them sums up to an hour", arguments: 1...10)
  func sum(seed: UInt64) {
    let ticks = hour(seed: seed).flatMap(\.rrTicks).reduce(0) { $0 + Int($1) }
    #expect(abs(Double(ticks) / 1024 - 3600) < 3)
  }

  @Test("rates and intervals are those of a person, and agree")
  func plausibility() {
    for measurement in hour(seed: 3) {
      #expect((45...180).contains(measurement.beatsPerMinute))
      #expect(measurement.contact == .detected)
      for ticks in measurement.rrTicks {
        #expect((300...1400).contains(ticks))
        let ratio = 61440 / Double(ticks) / Double(measurement.beatsPerMinute)
        #expect((0.6...1.6).contains(ratio))
      }
    }
  }

  @Test("it begins at rest, with a whole interval", arguments: 1...20)
  func beginning(seed: UInt64) throws {
    var heart = PlausibleHeart(seed: seed)
    heart.beat(until: 1.1)
    let first = try HeartRateMeasurement(decoding: heart.notification())
    #expect((55...78).contains(first.beatsPerMinute))
    #expect(first.rrTicks.allSatisfy { (750...1150).contains($0) })
    #expect(!first.rrTicks.isEmpty)
  }

  @Test("it rests and it exercises")
  func activity() {
    let rates = hour(seed: 5).map(\.beatsPerMinute)
    #expect(rates.contains { $0 < 80 })
    #expect(rates.contains { $0 > 110 })
  }

  @Test("the same seed beats the same, another one differently")
  func seeds() {
    #expect(hour(seed: 7) == hour(seed: 7))
    #expect(hour(seed: 7) != hour(seed: 8))
  }

  @Test("intervals that do not fit come with the next packet")
  func carryOver() {
    var heart = PlausibleHeart(seed: 1)
    var whole = heart
    heart.beat(until: 30)
    whole.beat(until: 30)
    var ticks: [UInt16] = []
    for _ in 0..<6 { ticks += (try? HeartRateMeasurement(decoding: heart.notification()))?.rrTicks ?? [] }
    let first = (try? HeartRateMeasurement(decoding: whole.notification()))?.rrTicks ?? []
    #expect(first.count == PlausibleHeart.intervalsPerPacket)
    #expect(ticks.count > 2 * first.count)
    #expect(abs(ticks.reduce(0) { $0 + Int($1) } - 30 * 1024) < 1500)
  }
}
