/// When a session ends by itself.
public struct SessionLimits: Hashable, Sendable {
  /// How long the link may be down, in microseconds.
  public var awayMicroseconds: Int64
  /// How long the sensor may be off the skin, or silent, in microseconds.
  public var offSkinMicroseconds: Int64
  /// The maximum length of a session, in microseconds; a linked session follows.
  public var lengthMicroseconds: Int64
  /// The maximum number of events of a session; a linked session follows. A strap that sends one value a second makes
  /// 90,000 a day. A session is assembled in memory (150 MB for half a million events), which a device that floods must not
  /// exhaust.
  public var eventCount: Int
  /// After this time without a measurement, in microseconds, a sensor counts as silent.
  public var silenceMicroseconds: Int64

  public init(
    awayMicroseconds: Int64 = 300_000_000, offSkinMicroseconds: Int64 = 300_000_000,
    lengthMicroseconds: Int64 = 86_400_000_000, eventCount: Int = 500_000, silenceMicroseconds: Int64 = 10_000_000
  ) {
    self.awayMicroseconds = awayMicroseconds
    self.offSkinMicroseconds = offSkinMicroseconds
    self.lengthMicroseconds = lengthMicroseconds
    self.eventCount = eventCount
    self.silenceMicroseconds = silenceMicroseconds
  }

  /// Five minutes away, five minutes off the skin, 24 hours, half a million events.
  public static let standard = SessionLimits()
}
