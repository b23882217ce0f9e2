/// The sensor's clock, in whose ticks RR intervals are given: 1024 ticks to the second (Heart Rate Service 1.0, 3.1.1.5).
enum SensorTicks {
  static let perSecond: Int32 = 1024

  /// Microseconds of `ticks` on an ideal clock, rounded down.
  @inline(__always)
  static func microseconds(_ ticks: Int64) -> Int64 {
    // 15,625 to 16; the product overflows only for more beats than there can be.
    (ticks &* 15_625) >> 4
  }
}
