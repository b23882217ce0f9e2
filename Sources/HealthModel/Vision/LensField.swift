/// What a prescription can say of a lens. The names are those of the properties.
@nonexhaustive
public enum LensField: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
  /// Dioptres.
  case sphere
  /// Dioptres.
  case cylinder
  /// Degrees.
  case axis
  /// Dioptres.
  case addPower
  /// Millimetres, of glasses.
  case vertexDistance
  /// Millimetres, of glasses.
  case farPupillaryDistance
  /// Millimetres, of glasses.
  case nearPupillaryDistance
  /// Prism dioptres, of a prism with an angle.
  case prismAmount
  /// Degrees.
  case prismAngle
  /// Prism dioptres, of a prism with bases.
  case prismVerticalAmount
  /// A raw value of ``VisionPrismBase``.
  case prismVerticalBase
  /// Prism dioptres, of a prism with bases.
  case prismHorizontalAmount
  /// A raw value of ``VisionPrismBase``.
  case prismHorizontalBase
  /// Millimetres, of contact lenses.
  case baseCurve
  /// Millimetres, of contact lenses.
  case diameter

  /// What its values may be, wider than what is made: what lies outside was mistyped.
  public var range: ClosedRange<Double> {
    switch self {
    case .sphere, .cylinder: -40...40
    case .axis: 0...180
    case .addPower: 0...40
    case .vertexDistance, .farPupillaryDistance, .nearPupillaryDistance: 0...200
    case .prismAmount, .prismVerticalAmount, .prismHorizontalAmount: 0...100
    case .prismAngle: 0...360
    case .prismVerticalBase, .prismHorizontalBase: 0...4
    case .baseCurve, .diameter: 1...50
    }
  }

  /// By their order in a prescription.
  public static func < (one: LensField, other: LensField) -> Bool { one.place < other.place }

  private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
