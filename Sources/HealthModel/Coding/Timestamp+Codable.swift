extension Timestamp: Codable {
  /// One number: microseconds since 1970. Coders do not round integers.
  public init(from decoder: any Decoder) throws {
    self.init(microseconds: try decoder.singleValueContainer().decode(Int64.self))
  }

  /// One number: microseconds since 1970.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(microseconds)
  }
}

extension Timestamp: CustomStringConvertible {
  /// ISO 8601 in UTC, to the microsecond: `2026-11-22T10:30:00.000000Z`.
  public var description: String { iso8601(fractionDigits: 6) }
}
