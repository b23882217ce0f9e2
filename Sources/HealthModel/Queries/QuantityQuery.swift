/// The quantities of many series as one: those of all samples that match the predicate, in the order of their starts.
///
/// Of equal starts, the quantity of the sample saved first is first; within a sample its own order is kept.
public struct QuantityQuery: HealthQuery {
  /// The quantities, in the type's unit.
  public typealias Output = QuantityList

  /// The quantity type, with the unit of the answer.
  public let type: QuantityType
  /// Selects the samples.
  public var predicate: SamplePredicate
  /// Only quantities that start in `[from, to)`.
  public var from: Timestamp?
  /// The end of that range; nil leaves it open.
  public var to: Timestamp?
  /// Sample by sample instead, in the order of the samples' starts.
  public var isGroupedBySample: Bool

  /// A query with the given parts.
  public init(
    _ type: QuantityType, predicate: SamplePredicate = .all, from: Timestamp? = nil, to: Timestamp? = nil,
    isGroupedBySample: Bool = false
  ) {
    self.type = type
    self.predicate = predicate
    self.from = from
    self.to = to
    self.isGroupedBySample = isGroupedBySample
  }

  /// Whether the change may be about a sample of the type that matches the predicate.
  public func isConcerned(by change: StoreChange) -> Bool {
    SamplePredicate.type(.quantity(type)).mayMean(change) && predicate.mayMean(change)
  }
}
