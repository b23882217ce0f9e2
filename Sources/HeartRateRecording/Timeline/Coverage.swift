/// Which share of a session's time its intervals account for; of a session without beats, which its rates do.
///
/// Nobody can say it exactly, since beats may still have been in the sensor at both ends, and a long interval may be a
/// pause or missed beats: so there are two figures. Without beats they are one: each rate covers the time until the next
/// one or the session's end, at most ten seconds, and none after a loss or the first word of "off the skin".
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
