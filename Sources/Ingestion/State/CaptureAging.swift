import HealthModel

/// The time by which kept captures age: the wall clock without what a jump added to it, until the clock has stood for as
/// long as captures are kept.
///
/// Whether a clock can be believed is not known here. A day by the boot clock is a day; a month that passes in a second, or
/// between two boots, may be one in which the machine was off, or a wrong clock. All times are in seconds.
struct CaptureAging: Sendable {
  /// For how long captures are kept.
  private let keep: Int64
  /// A time that is known to have come, and the boot clock's at it.
  private var known: (time: Int64, boot: Int64)?
  /// Since when the wall clock has been further than that, by the boot clock, and by how much.
  private var jump: (since: Int64, by: Int64)?

  /// Clocks that differ by no more are the same, since they are adjusted all the time.
  private static let tolerance: Int64 = 60

  init(keep: Int64) {
    self.keep = keep
  }

  /// The time by which captures age.
  ///
  /// - Parameters:
  ///   - wall: The wall clock, since 1970.
  ///   - boot: The boot clock, of the same boot at each call.
  ///   - newest: When the newest capture was kept, since 1970; nil without any. It counts at the first call alone.
  /// - Returns: The time since 1970, `wall` or earlier.
  mutating func now(wall: Int64, boot: Int64, newest: Int64?) -> Int64 {
    let first: (time: Int64, boot: Int64) = if let newest { (newest, 0) } else { (wall, boot) }
    let before = known ?? first
    known = before
    let passed = before.time.addingSaturated(boot.subtractingSaturated(before.boot))
    let ahead = wall.subtractingSaturated(passed)
    guard ahead > Self.tolerance else {
      jump = nil
      return wall
    }
    if let jump, abs(ahead.subtractingSaturated(jump.by)) <= Self.tolerance {
      guard boot.subtractingSaturated(jump.since) >= keep else { return passed }
      self.jump = nil
      known = (wall, boot)
      return wall
    }
    jump = (boot, ahead)
    return passed
  }
}
