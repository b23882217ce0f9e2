/// One lens of glasses. Only the sphere has to be there; what was not prescribed stays nil.
public struct GlassesLensSpecification: Hashable, Sendable, Codable {
  /// In dioptres: negative for who does not see far.
  public var sphere: Double
  /// For astigmatism, in dioptres.
  public var cylinder: Double?
  /// Where the cylinder has no power: degrees, 0 to 180 (ISO 8429).
  public var axis: Double?
  /// What is added for near sight, in dioptres.
  public var addPower: Double?
  /// Between the lens and the eye, in millimetres.
  public var vertexDistance: Double?
  /// What moves the image.
  public var prism: VisionPrism?
  /// From the middle of the nose to the pupil when it looks far, in millimetres.
  public var farPupillaryDistance: Double?
  /// The same when it looks near, in millimetres.
  public var nearPupillaryDistance: Double?

  /// A lens with the given parts, in dioptres, degrees and millimetres. Their ranges are looked at by
  /// ``VisionPrescription/validate()``.
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
  /// - Throws: ``UnitError`` for a power that is none, an angle that is none, or a distance that is none.
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
  /// - Throws: ``UnitError`` for an amount that is not one of prism, or an angle that is none.
  public init(amount: Quantity, angle: Quantity) throws(UnitError) {
    self = .angled(amount: try amount.value(in: .prismDiopter), angle: try angle.value(in: .degree))
  }

  /// A prism in any compatible units.
  ///
  /// - Throws: ``UnitError`` for an amount that is not one of prism.
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
  /// There is no prism in this direction.
  case none = 0
  /// To the brow.
  case up = 1
  /// To the cheek.
  case down = 2
  /// To the nose.
  case `in` = 3
  /// To the temple.
  case out = 4
}

/// One contact lens. Only the sphere has to be there; what was not prescribed stays nil.
public struct ContactsLensSpecification: Hashable, Sendable, Codable {
  /// In dioptres: negative for who does not see far.
  public var sphere: Double
  /// For astigmatism, in dioptres.
  public var cylinder: Double?
  /// Where the cylinder has no power: degrees, 0 to 180 (ISO 8429).
  public var axis: Double?
  /// What is added for near sight, in dioptres.
  public var addPower: Double?
  /// The radius of the back of the lens, in millimetres.
  public var baseCurve: Double?
  /// From edge to edge, in millimetres.
  public var diameter: Double?

  /// A lens with the given parts, in dioptres, degrees and millimetres. Their ranges are looked at by
  /// ``VisionPrescription/validate()``.
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
  /// - Throws: ``UnitError`` for a power that is none, an angle that is none, or a distance that is none.
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
