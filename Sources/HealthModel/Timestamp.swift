/// A moment of wall-clock time: microseconds since 1970-01-01 00:00:00 UTC, without leap seconds (as in POSIX).
///
/// An integer, because conversion to `Double` and back could change a beat's time.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Microseconds since 1970-01-01 00:00:00 UTC.
  public var microseconds: Int64

  /// A moment that many microseconds after 1970, or before if negative.
  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Milliseconds since 1970, saturating where the microseconds would overflow.
  public init(milliseconds: Int64) {
    microseconds = milliseconds.multipliedSaturated(by: 1000)
  }

  /// The years 1 to 9999: the moments that calendars and series may have.
  public static let calendarRange =
    Timestamp(microseconds: -62_135_596_800_000_000)...Timestamp(microseconds: 253_402_300_799_999_999)

  /// Whether one moment is before another.
  public static func < (earlier: Timestamp, later: Timestamp) -> Bool {
    earlier.microseconds < later.microseconds
  }

  /// The moment `microseconds` later, or earlier where it is negative. Saturates instead of overflowing.
  public func advanced(byMicroseconds microseconds: Int64) -> Timestamp {
    Timestamp(microseconds: self.microseconds.addingSaturated(microseconds))
  }

  /// Microseconds from `earlier` to this moment. Saturates instead of overflowing.
  public func microseconds(since earlier: Timestamp) -> Int64 {
    microseconds.subtractingSaturated(earlier.microseconds)
  }

  /// The last whole millisecond not after this moment: the precision of stored rates.
  public var flooredToMilliseconds: Timestamp {
    let remainder = ((microseconds % 1000) + 1000) % 1000
    return advanced(byMicroseconds: -remainder)
  }
}
