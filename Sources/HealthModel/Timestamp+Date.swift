public import FoundationEssentials

extension Timestamp {
  /// Converts from `Date` (a `Double` of seconds) to the nearest microsecond: exact until after the year 2100. Saturates;
  /// NaN becomes the epoch.
  public init(_ date: Date) {
    self.init(microseconds: Int64(saturating: date.timeIntervalSince1970 * 1e6))
  }

  /// The moment as a `Date`. Converting it back gives the same timestamp, within some centuries from now.
  public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1e6) }
}

extension TimeSpan {
  /// From one date to the other; nil where `end` is before `start`.
  public init?(start: Date, end: Date) {
    self.init(start: Timestamp(start), end: Timestamp(end))
  }
}
