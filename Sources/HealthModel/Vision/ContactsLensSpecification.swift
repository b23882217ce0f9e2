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
