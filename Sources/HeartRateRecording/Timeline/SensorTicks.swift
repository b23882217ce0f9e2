/// The sensor's own clock, in which RR intervals are told: 1024 ticks to the second (Heart Rate Service 1.0, 3.1.1.5).
enum SensorTicks {
  static let perSecond: Int32 = 1024

  /// Microseconds in `ticks` where the clock is right, rounded down.
  @inline(__always)
  static func microseconds(_ ticks: Int64) -> Int64 {
    // 15,625 in 16: a product of this size takes more beats than there can be.
    (ticks &* 15_625) >> 4
  }
}
