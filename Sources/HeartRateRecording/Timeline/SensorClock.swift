/// The clock in whose ticks a sensor gives RR intervals.
struct SensorClock: Hashable {
  let ticksPerSecond: Int32
  /// Sixteenths of a microsecond in a tick, with which ticks of both clocks convert without rounding.
  let sixteenths: Int64

  /// 1024 ticks to the second (Heart Rate Service 1.0, 3.1.1.5).
  static let standard = SensorClock(ticksPerSecond: 1024, sixteenths: 15_625)
  /// Of sensors that send milliseconds instead (rule 12 of Documentation/timeline.md).
  static let milliseconds = SensorClock(ticksPerSecond: 1000, sixteenths: 16_000)

  var microsecondsPerTick: Double { Double(sixteenths) / 16 }

  /// Microseconds of `ticks` on an ideal clock, rounded down.
  @inline(__always)
  func microseconds(_ ticks: Int64) -> Int64 {
    // The product overflows only for more beats than there can be.
    (ticks &* sixteenths) >> 4
  }
}
