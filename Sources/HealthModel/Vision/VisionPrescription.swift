/// A prescription of an optician or an ophthalmologist: lenses for one eye or both.
///
/// The start and the end of its sample are the times at which the prescription was issued and at which it expires.
@nonexhaustive
public enum VisionPrescription: Hashable, Sendable, Codable {
  /// Lenses in a frame before the eyes.
  case glasses(GlassesPrescription)
  /// Lenses on the eyes.
  case contacts(ContactsPrescription)

  /// The type, as it stands in the sample.
  public var type: VisionPrescriptionType {
    switch self {
    case .glasses: .glasses
    case .contacts: .contacts
    }
  }

  /// The key of metadata for a text about the purpose of the glasses: `glassesPrescriptionDescription`.
  public static let glassesDescriptionKey = "glassesPrescriptionDescription"
  /// The most bytes (UTF-8) of a brand.
  public static let longestBrand = 256

  /// The time of its sample; that of one without an end is a moment.
  package static func span(issued: Timestamp, expires: Timestamp?) throws(VisionPrescriptionError) -> TimeSpan {
    guard let expires else { return TimeSpan(at: issued) }
    guard expires > issued, let span = TimeSpan(start: issued, end: expires) else { throw .expiresBeforeIssue }
    return span
  }

  /// Throws ``VisionPrescriptionError`` for the first rule that the prescription breaks: a lens for one eye at least, every value in
  /// its ``LensField/range``, prisms with bases that can be, a brand of at most ``longestBrand`` bytes.
  public func validate() throws(VisionPrescriptionError) {
    let lenses = lenses
    guard !lenses.isEmpty else { throw .noLens }
    for lens in lenses {
      for (field, value) in lens.values.sorted(by: { $0.key < $1.key }) {
        guard field.range.contains(value) else { throw .outOfRange(field) }
      }
      _ = try VisionPrism(lens.values)
    }
    guard brand.map({ $0.utf8.count <= Self.longestBrand }) ?? true else { throw .brandTooLong }
  }
}

/// A prescription for glasses.
public struct GlassesPrescription: Hashable, Sendable, Codable {
  /// The lens before the right eye; nil if no lens is prescribed for it.
  public var rightEye: GlassesLensSpecification?
  /// The lens before the left eye; nil if no lens is prescribed for it.
  public var leftEye: GlassesLensSpecification?

  /// A prescription of these lenses, of which one may be missing.
  public init(rightEye: GlassesLensSpecification?, leftEye: GlassesLensSpecification?) {
    self.rightEye = rightEye
    self.leftEye = leftEye
  }
}

/// A prescription for contact lenses.
public struct ContactsPrescription: Hashable, Sendable, Codable {
  /// The lens on the right eye; nil if no lens is prescribed for it.
  public var rightEye: ContactsLensSpecification?
  /// The lens on the left eye; nil if no lens is prescribed for it.
  public var leftEye: ContactsLensSpecification?
  /// The product; nil if no product is prescribed.
  public var brand: String?

  /// A prescription of these lenses, of which one may be missing.
  public init(rightEye: ContactsLensSpecification?, leftEye: ContactsLensSpecification?, brand: String? = nil) {
    self.rightEye = rightEye
    self.leftEye = leftEye
    self.brand = brand
  }
}

/// The purpose of a prescription: glasses or contact lenses. Raw values are HealthKit's.
@nonexhaustive
public enum VisionPrescriptionType: Int64, Hashable, Sendable, Codable, CaseIterable {
  /// Lenses in a frame before the eyes.
  case glasses = 1
  /// Lenses on the eyes.
  case contacts = 2
}

/// One of two eyes. Raw values are HealthKit's.
public enum VisionEye: Int64, Hashable, Sendable, Codable, CaseIterable {
  /// The person's left eye, not the one on the left of an observer.
  case left = 1
  /// The person's right eye, not the one on the right of an observer.
  case right = 2
}

/// A reason why a prescription cannot be stored.
@nonexhaustive
public enum VisionPrescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The prescription has a lens for neither eye.
  case noLens
  /// Two lenses are for one eye.
  case equalEyes
  /// A lens has no sphere.
  case noSphere
  /// A value lies outside of its ``LensField/range``, or is no number.
  case outOfRange(LensField)
  /// A lens of that kind has no such value.
  case otherKind(LensField)
  /// A prism is incomplete, or is given in both of its forms.
  case incompletePrism
  /// The base of a prism does not lie in its direction, or is missing where there is an amount.
  case prismBase
  /// The brand is longer than ``VisionPrescription/longestBrand``, or glasses have one.
  case brandTooLong
  /// The prescription would expire at or before the moment of its issue.
  case expiresBeforeIssue

  /// One line for a person, without values, which are health data.
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
