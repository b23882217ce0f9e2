import HealthModel
import Testing

@Suite("AffineTimeMap")
struct AffineTimeMapTests {
  @Test("a second of ticks is a second")
  func second() {
    let map = AffineTimeMap(anchor: Timestamp(microseconds: 5))
    #expect(map.time(atTicks: 1024, timescale: 1024).microseconds == 1_000_005)
    #expect(map.time(atTicks: 360, timescale: 360).microseconds == 1_000_005)
  }

  @Test("a slope of 20 ppm makes a day longer by 1.728 s")
  func slope() {
    let map = AffineTimeMap(anchor: Timestamp(microseconds: 0), slopePartsPerBillion: 20_000)
    #expect(map.time(atTicks: 86_400 * 1024, timescale: 1024).microseconds == 86_401_728_000)
  }

  @Test("times are rounded down, before the anchor too")
  func rounding() {
    let map = AffineTimeMap(anchor: Timestamp(microseconds: 0))
    #expect(map.time(atTicks: 1, timescale: 1024).microseconds == 976)
    #expect(map.time(atTicks: -1, timescale: 1024).microseconds == -977)
    // Where a tick times a billion does not fit 64 bits any more.
    #expect(map.time(atTicks: 1 << 34 | 1, timescale: 1024).microseconds == 16_777_216_000_976)
    #expect(map.time(atTicks: -(1 << 34 | 1), timescale: 1024).microseconds == -16_777_216_000_977)
  }

  @Test("extreme ticks saturate")
  func extremes() {
    let map = AffineTimeMap(anchor: Timestamp(microseconds: 0), slopePartsPerBillion: .max)
    #expect(map.time(atTicks: .max, timescale: 1).microseconds == .max)
    #expect(map.time(atTicks: .min, timescale: 1).microseconds == .min)
    #expect(map.time(atTicks: .max, timescale: 0).microseconds == .max)
  }
}
