public import FoundationEssentials
public import HealthModel

/// The quantities of many series as one: all that the predicate's samples hold, in the order of their starts.
///
/// Of equal starts those of the sample that was saved first come first, and within a sample its own order stays.
public struct QuantityQuery: HealthQuery {
  /// What is measured, in which unit.
  public let type: QuantityType
  /// Which samples are asked for.
  public var predicate: SamplePredicate
  /// Only quantities whose start lies in `[from, to)`.
  public var from: Timestamp?
  /// Before this moment; nil leaves the side open.
  public var to: Timestamp?
  /// Sample after sample instead, in the order of the samples' starts.
  public var isGroupedBySample: Bool

  /// Takes every part as it is.
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

  /// The answer now; see ``HealthQuery/result(for:)``.
  public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<QuantityList> {
    try await store.run(self)
  }

  /// Whether it may be about a sample of the type that the predicate means.
  public func isConcerned(by change: StoreChange) -> Bool {
    SamplePredicate.type(.quantity(type)).mayMean(change) && predicate.mayMean(change)
  }
}

/// Quantities with the samples that own them, as columns: millions of them fit.
public struct QuantityList: Hashable, Sendable, RandomAccessCollection {
  /// The quantities as columns.
  public internal(set) var quantities = QuantityTrack()
  /// For each quantity, which of `samples` owns it.
  public internal(set) var owners: [Int32] = []
  /// The identifiers of the samples, in the order of their starts.
  public internal(set) var samples: [UUID] = []

  /// One quantity, in the type's unit.
  public struct Element: Hashable, Sendable, Codable {
    /// In the type's unit.
    public var value: Double
    /// From its start to its end; one moment for most.
    public var span: TimeSpan
    /// The sample that owns it.
    public var sample: UUID
  }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of quantities.
  public var endIndex: Int { owners.count }

  /// The quantity at that place in the order of starts; a place outside of the list is a mistake of the program, as for an array.
  public subscript(position: Int) -> Element {
    let start = Timestamp(microseconds: quantities.starts[position])
    let end = quantities.ends.isEmpty ? start : Timestamp(microseconds: quantities.ends[position])
    return Element(
      value: quantities.values[position], span: TimeSpan(start: start, end: end) ?? TimeSpan(at: start),
      sample: samples[Int(owners[position])])
  }
}
