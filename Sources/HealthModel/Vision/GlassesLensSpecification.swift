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
