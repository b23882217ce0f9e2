/// One lens of glasses. Only the sphere has to be there; what was not prescribed stays nil.
public struct GlassesLensSpecification: Hashable, Sendable, Codable {
  /// The power in dioptres: negative for short-sighted people.
  public var sphere: Double
  /// The additional power for astigmatism, in dioptres.
  public var cylinder: Double?
  /// The direction in which the cylinder has no power: degrees, 0 to 180 (ISO 8429).
  public var axis: Double?
  /// The addition for near sight, in dioptres.
  public var addPower: Double?
  /// The distance between the lens and the eye, in millimetres.
  public var vertexDistance: Double?
  /// The prism, which moves the image.
  public var prism: VisionPrism?
  /// The distance from the middle of the nose to the pupil of an eye that looks far, in millimetres.
  public var farPupillaryDistance: Double?
  /// The distance from the middle of the nose to the pupil of an eye that looks near, in millimetres.
  public var nearPupillaryDistance: Double?

  /// A lens with the given parts, in dioptres, degrees and millimetres. ``VisionPrescription/validate()`` checks their ranges.
  public init(
    sphere: Double, cylinder: Double? = nil, axis: Double? = nil, addPower: Double? = nil,
    vertexDistance: Double? = nil, prism: VisionPrism? = nil, farPupillaryDistance: Double? = nil,
    nearPupillaryDistance: Double? = nil
  ) {
    self.sphere = sphere
    self.cylinder = cylinder
    self.axis = axis
    self.addPower = addPower
    self.vertexDistance = vertexDistance
    self.prism = prism
    self.farPupillaryDistance = farPupillaryDistance
    self.nearPupillaryDistance = nearPupillaryDistance
  }

  /// A lens in any compatible units.
  ///
  /// - Throws: ``UnitError`` for a power, an angle or a distance in an incompatible unit.
  public init(
    sphere: Quantity, cylinder: Quantity? = nil, axis: Quantity? = nil, addPower: Quantity? = nil,
    vertexDistance: Quantity? = nil, prism: VisionPrism? = nil, farPupillaryDistance: Quantity? = nil,
    nearPupillaryDistance: Quantity? = nil
  ) throws(UnitError) {
    self.init(
      sphere: try sphere.value(in: .diopter), cylinder: try cylinder?.value(in: .diopter),
      axis: try axis?.value(in: .degree), addPower: try addPower?.value(in: .diopter),
      vertexDistance: try vertexDistance?.value(in: .millimeter), prism: prism,
      farPupillaryDistance: try farPupillaryDistance?.value(in: .millimeter),
      nearPupillaryDistance: try nearPupillaryDistance?.value(in: .millimeter))
  }
}

/// A prism in a lens of glasses, in one of the two forms in which opticians write it. It stays as it was written.
@nonexhaustive
public enum VisionPrism: Hashable, Sendable, Codable {
  /// An amount in prism dioptres, and the direction of the base in degrees, 0 to 360.
  case angled(amount: Double, angle: Double)
  /// A vertical and a horizontal amount in prism dioptres, each with the direction of its base: up or down, in or out. A base of an
  /// amount of 0 may be ``VisionPrismBase/none``.
  case based(
    verticalAmount: Double, verticalBase: VisionPrismBase, horizontalAmount: Double, horizontalBase: VisionPrismBase)

  /// A prism in any compatible units.
  ///
  /// - Throws: ``UnitError`` for an amount or an angle in an incompatible unit.
  public init(amount: Quantity, angle: Quantity) throws(UnitError) {
    self = .angled(amount: try amount.value(in: .prismDiopter), angle: try angle.value(in: .degree))
  }

  /// A prism in any compatible units.
  ///
  /// - Throws: ``UnitError`` for an amount in an incompatible unit.
  public init(
    verticalAmount: Quantity, verticalBase: VisionPrismBase, horizontalAmount: Quantity,
    horizontalBase: VisionPrismBase
  ) throws(UnitError) {
    self = .based(
      verticalAmount: try verticalAmount.value(in: .prismDiopter), verticalBase: verticalBase,
      horizontalAmount: try horizontalAmount.value(in: .prismDiopter), horizontalBase: horizontalBase)
  }
}

/// The direction of the thickest edge of a prism. Raw values are HealthKit's.
public enum VisionPrismBase: Int64, Hashable, Sendable, Codable, CaseIterable {
  /// No prism in this direction.
  case none = 0
  /// The side of the brow.
  case up = 1
  /// The side of the cheek.
  case down = 2
  /// The side of the nose.
  case `in` = 3
  /// The side of the temple.
  case out = 4
}

/// One contact lens. Only the sphere has to be there; what was not prescribed stays nil.
public struct ContactsLensSpecification: Hashable, Sendable, Codable {
  /// The power in dioptres: negative for short-sighted people.
  public var sphere: Double
  /// The additional power for astigmatism, in dioptres.
  public var cylinder: Double?
  /// The direction in which the cylinder has no power: degrees, 0 to 180 (ISO 8429).
  public var axis: Double?
  /// The addition for near sight, in dioptres.
  public var addPower: Double?
  /// The radius of the back of the lens, in millimetres.
  public var baseCurve: Double?
  /// The distance from edge to edge, in millimetres.
  public var diameter: Double?

  /// A lens with the given parts, in dioptres, degrees and millimetres. ``VisionPrescription/validate()`` checks their ranges.
  public init(
    sphere: Double, cylinder: Double? = nil, axis: Double? = nil, addPower: Double? = nil, baseCurve: Double? = nil,
    diameter: Double? = nil
  ) {
    self.sphere = sphere
    self.cylinder = cylinder
    self.axis = axis
    self.addPower = addPower
    self.baseCurve = baseCurve
    self.diameter = diameter
  }

  /// A lens in any compatible units.
  ///
  /// - Throws: ``UnitError`` for a power, an angle or a distance in an incompatible unit.
  public init(
    sphere: Quantity, cylinder: Quantity? = nil, axis: Quantity? = nil, addPower: Quantity? = nil,
    baseCurve: Quantity? = nil, diameter: Quantity? = nil
  ) throws(UnitError) {
    self.init(
      sphere: try sphere.value(in: .diopter), cylinder: try cylinder?.value(in: .diopter),
      axis: try axis?.value(in: .degree), addPower: try addPower?.value(in: .diopter),
      baseCurve: try baseCurve?.value(in: .millimeter), diameter: try diameter?.value(in: .millimeter))
  }
}
