extension Unit: Codable {
  /// The symbol. An unknown symbol is kept, and ``isKnown`` is false.
  public init(from decoder: any Decoder) throws {
    let symbol = try decoder.singleValueContainer().decode(String.self)
    self = Unit(symbol) ?? Unit(opaque: symbol)
  }

  /// The symbol.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(symbol)
  }
}
