/// How the ticks of one run become wall time: an affine map, kept as integers so that everybody derives the same times.
public struct RunMap: Hashable, Sendable {
  /// The wall time of tick 0, the run's first beat, in microseconds since 1970 (UTC).
  public var anchorMicroseconds: Int64
  /// How much longer a second of wall time the sensor's second is, in parts per billion; 0 where it is not known.
  public var slopePartsPerBillion: Int32
  /// Half the width of the interval that holds 95 % of the run's true beat times, up to one latency that is constant
  /// over the session and that nothing can tell. Microseconds.
  public var uncertaintyMicroseconds: Int64

  public init(anchorMicroseconds: Int64, slopePartsPerBillion: Int32, uncertaintyMicroseconds: Int64) {
    self.anchorMicroseconds = anchorMicroseconds
    self.slopePartsPerBillion = slopePartsPerBillion
    self.uncertaintyMicroseconds = uncertaintyMicroseconds
  }

  /// The wall time at `ticks` (1/1024 s) after the run's first beat, in microseconds since 1970 (UTC):
  /// `anchor + ⌊ticks · (10⁹ + slope) / (1024 · 10³)⌋`.
  public func microseconds(atTicks ticks: Int64) -> Int64 {
    anchorMicroseconds &+ Self.microseconds(ticks: ticks, slopePartsPerBillion: slopePartsPerBillion)
  }

  /// Microseconds in `ticks` by the sensor's own clock, rounded down.
  @inline(__always)
  static func microseconds(ticks: Int64) -> Int64 {
    // 15,625 in 16: a product of this size takes more beats than there can be.
    (ticks &* 15_625) >> 4
  }

  /// Microseconds in `ticks` of a sensor whose clock is slow by `slopePartsPerBillion`, rounded down.
  static func microseconds(ticks: Int64, slopePartsPerBillion: Int32) -> Int64 {
    let factor = 1_000_000_000 + Int64(slopePartsPerBillion)
    let (product, overflow) = ticks.multipliedReportingOverflow(by: factor)
    if overflow {
      // Months of intervals: only an absurd sensor gets here.
      return Int64(clamping: Int128(ticks) * Int128(factor) / 1_024_000)
    }
    let (quotient, remainder) = product.quotientAndRemainder(dividingBy: 1_024_000)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
