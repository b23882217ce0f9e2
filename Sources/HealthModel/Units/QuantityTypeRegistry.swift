/// The quantity types that a program knows: the library's, and those that the program registers.
///
/// A value: a store is opened with one and resolves the identifiers in its file with it.
public struct QuantityTypeRegistry: Hashable, Sendable {
  private var byIdentifier: [String: QuantityType]
  /// All types: the library's first, then the program's own as they were registered.
  public private(set) var types: [QuantityType]

  /// The library's types only.
  public static let standard = QuantityTypeRegistry(checked: QuantityType.all)

  private init(checked types: [QuantityType]) {
    self.types = types
    byIdentifier = Dictionary(types.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The library's types and those of the program.
  ///
  /// - Throws: The errors of ``register(_:)``.
  public init(_ own: [QuantityType]) throws(QuantityTypeError) {
    self = .standard
    for type in own { try register(type) }
  }

  /// Adds a type; the same type may be registered again.
  ///
  /// - Throws: ``QuantityTypeError/alreadyRegistered(_:)`` where another has its identifier, and
  ///   ``QuantityTypeError/unknownUnit(_:)`` or ``QuantityTypeError/unknownStyle(_:)`` for an opaque one.
  public mutating func register(_ type: QuantityType) throws(QuantityTypeError) {
    guard type.unit.isKnown else { throw .unknownUnit(type.unit.symbol) }
    guard type.style.isKnown else { throw .unknownStyle(type.style.rawValue) }
    guard let present = byIdentifier[type.identifier] else {
      byIdentifier[type.identifier] = type
      types.append(type)
      return
    }
    guard present == type else { throw .alreadyRegistered(type.identifier) }
  }

  /// The type with that identifier; nil where such a type is not registered.
  public subscript(identifier: String) -> QuantityType? { byIdentifier[identifier] }

  /// The type with a name given by a person. Throws ``StatisticsError/unknownType(_:nearest:)`` with similar names.
  public func type(named name: String) throws(StatisticsError) -> QuantityType {
    guard let type = self[name] else {
      throw .unknownType(name, nearest: Spelling.nearest(to: name, among: types.map(\.identifier)))
    }
    return type
  }

  /// The type by which the values of a file's type have to be read.
  ///
  /// The registered type, if its unit is the same. Otherwise the type is as the file describes it, opaque if unit or style are of
  /// a later version of the library.
  public func type(
    identifier: String, storedUnit: String, style: String, styleVersion: Int
  ) -> QuantityType {
    if let registered = self[identifier], registered.unit.symbol == storedUnit { return registered }
    return QuantityType(
      stored: identifier, unit: Unit(storedUnit) ?? Unit(opaque: storedUnit), style: AggregationStyle(rawValue: style),
      styleVersion: styleVersion)
  }
}

/// Suggests names for a misspelt one.
package enum Spelling {
  /// The members of `names` that differ from `name` by a few letters, or contain it; the nearest first, at most three.
  package static func nearest(to name: String, among names: [String]) -> [String] {
    let wanted = Array(name.lowercased().utf8.prefix(64))
    guard !wanted.isEmpty else { return [] }
    let candidates = names.compactMap { candidate -> (name: String, distance: Int)? in
      let letters = Array(candidate.lowercased().utf8)
      let distance = editDistance(wanted, letters)
      if distance <= max(2, wanted.count / 4) { return (candidate, distance) }
      guard wanted.count >= 3, candidate.lowercased().contains(name.lowercased()) else { return nil }
      return (candidate, letters.count)
    }
    return candidates.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
  }

  /// The number of letters to insert, delete or replace to get from one to the other (Levenshtein distance).
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
