extension SampleType: Codable {
  private enum Key: CodingKey { case identifier, kind, quantityType }

  /// Name and kind, and all properties of a quantity type; any name and kind are a type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if let type = try container.decodeIfPresent(QuantityType.self, forKey: .quantityType) {
      self = .quantity(type)
    } else {
      self.init(
        identifier: try container.decode(String.self, forKey: .identifier),
        kind: try container.decode(SampleKind.self, forKey: .kind))
    }
  }

  /// Name and kind, and all properties of a quantity type.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(identifier, forKey: .identifier)
    try container.encode(kind, forKey: .kind)
    try container.encodeIfPresent(quantityType, forKey: .quantityType)
  }
}
