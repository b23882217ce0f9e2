extension QuantityType {
  /// The type with that identifier; ``StatisticsError/unknownType(_:nearest:)`` names those that are spelled much like it.
  public init(named name: String) throws(StatisticsError) {
    guard let type = QuantityType(identifier: name) else {
      throw .unknownType(name, nearest: Spelling.nearest(to: name, among: Self.all.map(\.identifier)))
    }
    self = type
  }
}
