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

  /// The wall time at `ticks` (1/1024 s) after the run's first beat, in microseconds since 1970 (UTC).
  ///
  /// `anchor + d + d · ppb / 10⁹` where `d = ticks · 15625 / 16`, each division rounded towards zero.
  public func microseconds(atTicks ticks: Int64) -> Int64 {
    let unscaled = Self.microseconds(ticks: ticks)
    return anchorMicroseconds &+ unscaled &+ unscaled &* Int64(slopePartsPerBillion) / 1_000_000_000
  }

  /// Microseconds in `ticks` of 1/1024 s, rounded towards zero.
  static func microseconds(ticks: Int64) -> Int64 {
    ticks &* 15_625 / 16
  }
}
