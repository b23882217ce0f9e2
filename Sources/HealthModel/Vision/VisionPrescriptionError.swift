/// Why a prescription cannot be stored.
@nonexhaustive
public enum VisionPrescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Of the lenses of both eyes there is none.
  case noLens
  /// Two lenses are for one eye.
  case equalEyes
  /// A lens has no sphere.
  case noSphere
  /// A value lies outside of its ``LensField/range``, or is no number.
  case outOfRange(LensField)
  /// A lens of that kind has no such value.
  case otherKind(LensField)
  /// Of a prism something is missing, or it is there in both of its forms.
  case incompletePrism
  /// The base of a prism does not lie in its direction, or is missing where there is an amount.
  case prismBase
  /// The brand is longer than ``VisionPrescription/longestBrand``, or glasses have one.
  case brandTooLong
  /// It would be good until a moment at or before that of its issue.
  case expiresBeforeIssue

  /// One line for a person; values are health data and stand in none.
  public var description: String {
    switch self {
    case .noLens: "the prescription has a lens for neither eye"
    case .equalEyes: "two lenses are for the same eye"
    case .noSphere: "a lens has no sphere"
    case .outOfRange(let field): "\(field.rawValue) of a lens is out of its range"
    case .otherKind(let field): "such a lens has no \(field.rawValue)"
    case .incompletePrism: "a prism has an amount and an angle, or two amounts and two bases"
    case .prismBase: "the base of a prism lies in another direction"
    case .brandTooLong: "contact lenses have a brand of at most \(VisionPrescription.longestBrand) bytes, glasses none"
    case .expiresBeforeIssue: "the prescription expires before it is issued"
    }
  }
}
