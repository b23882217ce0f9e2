extension ChangeAnchor: Codable {
  /// Its line of text; throws if the text is not from ``description``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let anchor = ChangeAnchor(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "the text is no anchor")
    }
    self = anchor
  }

  /// Its line of text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
