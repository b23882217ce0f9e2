/// Maps the ticks of one run of beats to wall-clock time by a straight line, with its uncertainty.
///
/// Integer arithmetic only, so that every reader of the store computes the same microseconds.
public struct AffineTimeMap: Hashable, Sendable, Codable {
  /// The wall-clock time of tick 0.
  public var anchor: Timestamp
  /// How much longer than nominal the sensor's ticks are, in parts per billion; observed: −25,000 to 10,000.
  public var slopePartsPerBillion: Int32
  /// Half the width of the interval that contains the times with 95 % confidence, in microseconds.
  public var uncertaintyMicroseconds: Int64

  /// A map; without slope and uncertainty the ticks count as exact.
  public init(anchor: Timestamp, slopePartsPerBillion: Int32 = 0, uncertaintyMicroseconds: Int64 = 0) {
    self.anchor = anchor
    self.slopePartsPerBillion = slopePartsPerBillion
    self.uncertaintyMicroseconds = uncertaintyMicroseconds
  }

  /// The wall-clock time of `ticks`, `timescale` of them to the second: rounded down to the microsecond, saturating.
  ///
  /// `anchor + ⌊ticks · (10⁹ + slope) / (timescale · 10³)⌋`
  @inline(__always)
  public func time(atTicks ticks: Int64, timescale: Int32) -> Timestamp {
    let factor = 1_000_000_000 + Int64(slopePartsPerBillion)
    let divisor = Int64(max(timescale, 1)) * 1000
    let (product, overflow) = ticks.multipliedReportingOverflow(by: factor)
    if overflow {
      let (wide, rest) = (Int128(ticks) * Int128(factor)).quotientAndRemainder(dividingBy: Int128(divisor))
      return anchor.advanced(byMicroseconds: Int64(clamping: rest < 0 ? wide - 1 : wide))
    }
    let (quotient, remainder) = product.quotientAndRemainder(dividingBy: divisor)
    return anchor.advanced(byMicroseconds: remainder < 0 ? quotient - 1 : quotient)
  }
}
