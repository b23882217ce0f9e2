/// A closed stretch of wall-clock time; one moment where both ends are equal.
public struct TimeSpan: Hashable, Sendable {
  /// When it begins.
  public let start: Timestamp
  /// When it ends; not before the start.
  public let end: Timestamp

  /// Nil where `end` is before `start`.
  public init?(start: Timestamp, end: Timestamp) {
    guard start <= end else { return nil }
    self.start = start
    self.end = end
  }

  /// A span without duration.
  public init(at moment: Timestamp) {
    start = moment
    end = moment
  }

  /// The length in microseconds.
  public var microseconds: Int64 { end.microseconds(since: start) }
}
