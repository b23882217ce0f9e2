/// Which share of a session's time its intervals account for.
///
/// Nobody can say it exactly, since beats may still have been in the sensor at both ends, and a long interval may be a
/// pause or missed beats: so there are two figures.
public struct Coverage: Hashable, Sendable {
  /// Time between neighbouring beats without a gap between them, over the session's time. 0...1.
  public var floor: Double
  /// The floor, and intervals that were received but form no interval between two seen beats (the first of each run,
  /// `missed or pause`), and up to three seconds at each end of the session. 0...1.
  public var ceiling: Double

  public init(floor: Double, ceiling: Double) {
    self.floor = floor
    self.ceiling = ceiling
  }
}
