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
