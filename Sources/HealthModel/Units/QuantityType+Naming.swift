extension QuantityType {
  /// The type with that identifier; ``StatisticsError/unknownType(_:nearest:)`` names those that are spelled much like it.
  public init(named name: String) throws(StatisticsError) {
    guard let type = QuantityType(identifier: name) else {
      throw .unknownType(name, nearest: Self.identifiers(near: name))
    }
    self = type
  }

  /// The identifiers that differ from `name` by a few letters, or hold it; the nearest first, three at most.
  private static func identifiers(near name: String) -> [String] {
    let wanted = Array(name.lowercased().utf8.prefix(64))
    guard !wanted.isEmpty else { return [] }
    let candidates = all.compactMap { type -> (identifier: String, distance: Int)? in
      let identifier = Array(type.identifier.lowercased().utf8)
      let distance = editDistance(wanted, identifier)
      if distance <= max(2, wanted.count / 4) { return (type.identifier, distance) }
      guard wanted.count >= 3, type.identifier.lowercased().contains(name.lowercased()) else { return nil }
      return (type.identifier, identifier.count)
    }
    return candidates.sorted { ($0.distance, $0.identifier) < ($1.distance, $1.identifier) }.prefix(3).map(\.identifier)
  }

  /// How many letters must be inserted, left out or replaced to make one of the other (Levenshtein).
  private static func editDistance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var row = Array(0...other.count)
    for (line, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for (column, candidate) in other.enumerated() {
        let replaced = diagonal + (letter == candidate ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[other.count]
  }
}
