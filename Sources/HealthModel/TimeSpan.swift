public import FoundationEssentials

/// A closed stretch of wall-clock time; one moment where both ends are equal.
public struct TimeSpan: Hashable, Sendable {
  /// The start of the span.
  public let start: Timestamp
  /// The end of the span; not before the start.
  public let end: Timestamp

  /// The span from `start` to `end`; nil where `end` is before `start`.
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

extension TimeSpan {
  /// The span from one date to the other; nil where `end` is before `start`.
  public init?(start: Date, end: Date) {
    self.init(start: Timestamp(start), end: Timestamp(end))
  }
}

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

extension TimeSpan: Codable {
  private enum Key: CodingKey { case start, end }

  /// `start` and `end`; an end before its start is an error.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let start = try container.decode(Timestamp.self, forKey: .start)
    guard let span = TimeSpan(start: start, end: try container.decode(Timestamp.self, forKey: .end)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .end, in: container, debugDescription: "the end is before the start")
    }
    self = span
  }

  /// `start` and `end`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(start, forKey: .start)
    try container.encode(end, forKey: .end)
  }
}

extension TimeSpan: CustomStringConvertible {
  /// An ISO 8601 interval, `start/end`; a single moment if both are equal.
  public var description: String { start == end ? start.description : "\(start)/\(end)" }
}
