import HealthModel
import Testing

@Suite("Zones of the heart rate")
struct HeartRateZonesTests {
  @Test("five zones by a maximum of 200 begin at 100, 120, 140, 160 and 180; by the reserve above 60 at 130 and on")
  func borders() throws {
    let byMaximum = try #require(HeartRateZones(.maximum(200)))
    #expect(byMaximum.lowerRates == [100, 120, 140, 160, 180])
    #expect([99.9, 100, 119, 120, 185, 300].map(byMaximum.zone) == [0, 1, 1, 2, 5, 5])
    let byReserve = try #require(HeartRateZones(.reserve(resting: 60, maximum: 200)))
    #expect(byReserve.lowerRates == [130, 144, 158, 172, 186])
  }

  @Test("zones that make no sense are none")
  func invalid() {
    #expect(HeartRateZones(.maximum(0)) == nil)
    #expect(HeartRateZones(.reserve(resting: 60, maximum: 60)) == nil)
    #expect(HeartRateZones(.reserve(resting: 0, maximum: 190)) == nil)
    #expect(HeartRateZones(.maximum(190), borders: []) == nil)
    #expect(HeartRateZones(.maximum(190), borders: [50, 50]) == nil)
  }

  @Test("a rate counts until the next one, for ten seconds at most, and for nothing off the skin")
  func times() throws {
    let zones = try #require(HeartRateZones(.maximum(200)))
    func rate(_ second: Int64, _ value: UInt16, _ contact: SensorContact = .detected) -> HeartRateValue {
      HeartRateValue(time: Timestamp(microseconds: second * 1_000_000), beatsPerMinute: value, contact: contact)
    }
    let rates = [rate(0, 90), rate(2, 110), rate(5, 150), rate(40, 185), rate(41, 185, .notDetected), rate(43, 130)]
    let times = zones.times(of: rates, until: Timestamp(microseconds: 44_500_000))
    #expect(times == [2, 3, 1.5, 10, 0, 1].map { Int64($0 * 1_000_000) })
    #expect(zones.times(of: [], until: Timestamp(microseconds: 0)) == [0, 0, 0, 0, 0, 0])
  }
}
