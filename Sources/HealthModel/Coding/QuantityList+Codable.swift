import FoundationEssentials

extension QuantityList: Codable {
  private enum Key: CodingKey { case samples, owners, quantities }

  /// Samples, owners and quantities as columns; throws if the columns do not fit together.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let samples = try container.decode([UUID].self, forKey: .samples)
    let owners = try container.decode([Int32].self, forKey: .owners)
    let quantities = try container.decode(QuantityTrack.self, forKey: .quantities)
    let lengths = [quantities.starts.count, quantities.values.count]
    guard lengths.allSatisfy({ $0 == owners.count }),
      quantities.ends.isEmpty || quantities.ends.count == owners.count,
      owners.allSatisfy({ samples.indices.contains(Int($0)) })
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .owners, in: container, debugDescription: "the columns are not of one list of quantities")
    }
    self.init(quantities: quantities, owners: owners, samples: samples)
  }

  /// Samples, owners and quantities as columns.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(samples, forKey: .samples)
    try container.encode(owners, forKey: .owners)
    try container.encode(quantities, forKey: .quantities)
  }
}
