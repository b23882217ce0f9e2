public import FoundationEssentials

extension TimeSpan {
  /// Converts from Foundation, to the nearest microsecond. Saturates.
  public init(_ interval: DateInterval) {
    let start = Timestamp(interval.start)
    // Rounding keeps the order.
    self = TimeSpan(start: start, end: Timestamp(interval.end)) ?? TimeSpan(at: start)
  }

  /// The span as a Foundation value.
  public var dateInterval: DateInterval { DateInterval(start: start.date, end: end.date) }
}
