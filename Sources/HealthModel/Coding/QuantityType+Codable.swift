extension QuantityType: Codable {
  private enum Key: CodingKey { case identifier, unit, style, styleVersion }

  /// All properties of the type; a type of another program is decoded like one of this program.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let unit = try container.decode(String.self, forKey: .unit)
    self = QuantityTypeRegistry.standard.type(
      identifier: try container.decode(String.self, forKey: .identifier), storedUnit: unit,
      style: try container.decode(AggregationStyle.self, forKey: .style).rawValue,
      styleVersion: try container.decode(Int.self, forKey: .styleVersion))
  }

  /// All properties of the type.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(identifier, forKey: .identifier)
    try container.encode(unit, forKey: .unit)
    try container.encode(style, forKey: .style)
    try container.encode(styleVersion, forKey: .styleVersion)
  }
}
