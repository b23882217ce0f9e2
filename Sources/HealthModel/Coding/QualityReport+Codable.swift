extension QualityReport: Codable {
  /// Its keys and values, as ``metadata`` has them.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Metadata.self))
  }

  /// Its keys and values, as ``metadata`` has them.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(metadata)
  }
}
