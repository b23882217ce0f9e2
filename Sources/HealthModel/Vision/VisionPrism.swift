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
