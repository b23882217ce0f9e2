public import FoundationEssentials

extension Timestamp {
  /// The microsecond nearest to a `Date`, which is a `Double` of seconds: exact to the microsecond until the year 2100 and
  /// beyond. Saturates; the epoch where it is no number.
  public init(_ date: Date) {
    self.init(microseconds: Int64(saturating: date.timeIntervalSince1970 * 1e6))
  }

  /// The same moment as Foundation has it; reading it back gives this timestamp again, within some centuries of now.
  public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1e6) }
}

extension TimeSpan {
  /// From one date to the other; nil where `end` is before `start`.
  public init?(start: Date, end: Date) {
    self.init(start: Timestamp(start), end: Timestamp(end))
  }
}
