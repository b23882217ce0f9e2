/// A lens as numbers by their names: in this form it is stored and sent, whatever its kind.
package struct PrescribedLens: Hashable, Sendable {
  package var eye: VisionEye
  package var values: [LensField: Double]

  package init(_ eye: VisionEye, _ values: [LensField: Double]) {
    self.eye = eye
    self.values = values
  }
}

extension VisionPrescription {
  /// The lenses, the right one first, as opticians write them.
  package var lenses: [PrescribedLens] {
    func lens(_ eye: VisionEye, _ values: [LensField: Double]?) -> PrescribedLens? {
      values.map { PrescribedLens(eye, $0) }
    }
    let (right, left) =
      switch self {
      case .glasses(let glasses): (glasses.rightEye?.values, glasses.leftEye?.values)
      case .contacts(let contacts): (contacts.rightEye?.values, contacts.leftEye?.values)
      }
    return [lens(.right, right), lens(.left, left)].compactMap { $0 }
  }

  /// The product, of contact lenses.
  package var brand: String? {
    if case .contacts(let contacts) = self { contacts.brand } else { nil }
  }

  /// The prescription whose lenses have these values. Their ranges are looked at by ``validate()``.
  ///
  /// - Throws: ``VisionPrescriptionError`` where they are not those of a prescription of that type.
  package init(
    _ type: VisionPrescriptionType, _ lenses: [PrescribedLens], brand: String?
  ) throws(VisionPrescriptionError) {
    var byEye: [VisionEye: [LensField: Double]] = [:]
    for lens in lenses {
      guard byEye.updateValue(lens.values, forKey: lens.eye) == nil else { throw .equalEyes }
    }
    switch type {
    case .glasses:
      guard brand == nil else { throw .brandTooLong }
      self = .glasses(
        GlassesPrescription(
          rightEye: try GlassesLensSpecification(optional: byEye[.right]),
          leftEye: try GlassesLensSpecification(optional: byEye[.left])))
    case .contacts:
      self = .contacts(
        ContactsPrescription(
          rightEye: try ContactsLensSpecification(optional: byEye[.right]),
          leftEye: try ContactsLensSpecification(optional: byEye[.left]), brand: brand))
    }
  }
}

extension GlassesLensSpecification {
  fileprivate var values: [LensField: Double] {
    var values: [LensField: Double] = [.sphere: sphere]
    values[.cylinder] = cylinder
    values[.axis] = axis
    values[.addPower] = addPower
    values[.vertexDistance] = vertexDistance
    values[.farPupillaryDistance] = farPupillaryDistance
    values[.nearPupillaryDistance] = nearPupillaryDistance
    return prism.map { values.merging($0.values) { $1 } } ?? values
  }

  fileprivate init?(optional values: [LensField: Double]?) throws(VisionPrescriptionError) {
    guard let values else { return nil }
    guard let sphere = values[.sphere] else { throw .noSphere }
    for field in [LensField.baseCurve, .diameter] where values[field] != nil { throw .otherKind(field) }
    self.init(
      sphere: sphere, cylinder: values[.cylinder], axis: values[.axis], addPower: values[.addPower],
      vertexDistance: values[.vertexDistance], prism: try VisionPrism(values),
      farPupillaryDistance: values[.farPupillaryDistance], nearPupillaryDistance: values[.nearPupillaryDistance])
  }
}

extension ContactsLensSpecification {
  fileprivate var values: [LensField: Double] {
    var values: [LensField: Double] = [.sphere: sphere]
    values[.cylinder] = cylinder
    values[.axis] = axis
    values[.addPower] = addPower
    values[.baseCurve] = baseCurve
    values[.diameter] = diameter
    return values
  }

  private static let fields: Set<LensField> = [.sphere, .cylinder, .axis, .addPower, .baseCurve, .diameter]

  fileprivate init?(optional values: [LensField: Double]?) throws(VisionPrescriptionError) {
    guard let values else { return nil }
    guard let sphere = values[.sphere] else { throw .noSphere }
    if let other = values.keys.filter({ !Self.fields.contains($0) }).min() { throw .otherKind(other) }
    self.init(
      sphere: sphere, cylinder: values[.cylinder], axis: values[.axis], addPower: values[.addPower],
      baseCurve: values[.baseCurve], diameter: values[.diameter])
  }
}

extension VisionPrism {
  fileprivate var values: [LensField: Double] {
    switch self {
    case .angled(let amount, let angle): [.prismAmount: amount, .prismAngle: angle]
    case .based(let vertical, let verticalBase, let horizontal, let horizontalBase):
      [
        .prismVerticalAmount: vertical, .prismVerticalBase: Double(verticalBase.rawValue),
        .prismHorizontalAmount: horizontal, .prismHorizontalBase: Double(horizontalBase.rawValue),
      ]
    }
  }

  /// The prism among the values of a lens; nil for a lens without a prism.
  ///
  /// - Throws: ``VisionPrescriptionError/incompletePrism``, ``VisionPrescriptionError/prismBase``.
  init?(_ values: [LensField: Double]) throws(VisionPrescriptionError) {
    let angled = (values[.prismAmount], values[.prismAngle])
    let based = (
      values[.prismVerticalAmount], values[.prismVerticalBase], values[.prismHorizontalAmount],
      values[.prismHorizontalBase]
    )
    switch (angled, based) {
    case ((nil, nil), (nil, nil, nil, nil)): return nil
    case ((let amount?, let angle?), (nil, nil, nil, nil)): self = .angled(amount: amount, angle: angle)
    case ((nil, nil), (let vertical?, let verticalBase?, let horizontal?, let horizontalBase?)):
      self = .based(
        verticalAmount: vertical, verticalBase: try Self.base(verticalBase, of: vertical, [.none, .up, .down]),
        horizontalAmount: horizontal, horizontalBase: try Self.base(horizontalBase, of: horizontal, [.none, .in, .out])
      )
    default: throw .incompletePrism
    }
  }

  private static func base(
    _ value: Double, of amount: Double, _ allowed: [VisionPrismBase]
  ) throws(VisionPrescriptionError) -> VisionPrismBase {
    guard let base = Int64(exactly: value).flatMap(VisionPrismBase.init(rawValue:)), allowed.contains(base),
      base != .none || amount == 0
    else { throw .prismBase }
    return base
  }
}

/// A value that a prescription can have for a lens. The names are those of the properties.
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

  /// The range of the field's values, wider than that of real lenses: a value outside of it was mistyped.
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

  /// Orders fields as a prescription does.
  public static func < (one: LensField, other: LensField) -> Bool { one.place < other.place }

  private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
