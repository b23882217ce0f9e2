public import FoundationEssentials

/// The quantities of many series as one: those of all samples that match the predicate, in the order of their starts.
///
/// Of equal starts, the quantity of the sample saved first is first; quantities of one sample stay in their order.
public struct QuantityQuery: HealthQuery {
  /// The quantities, in the type's unit.
  public typealias Output = QuantityList

  /// The quantity type, with the unit of the answer.
  public let type: QuantityType
  /// Selects the samples.
  public var predicate: SamplePredicate
  /// The beginning of the range `[from, to)` in which quantities have to start; nil leaves it open.
  public var from: Timestamp?
  /// The end of that range; nil leaves it open.
  public var to: Timestamp?
  /// Whether the answer is sample by sample instead, in the order of the samples' starts.
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

/// Quantities and the samples that own them, as columns: millions of them fit into memory.
public struct QuantityList: Hashable, Sendable, RandomAccessCollection {
  /// The quantities as columns.
  public package(set) var quantities = QuantityTrack()
  /// The owner of each quantity, as a place in `samples`.
  public package(set) var owners: [Int32] = []
  /// The identifiers of the samples, in the order of their starts.
  public package(set) var samples: [UUID] = []

  /// An empty list.
  package init() {}

  /// Columns of the same length.
  init(quantities: QuantityTrack, owners: [Int32], samples: [UUID]) {
    self.quantities = quantities
    self.owners = owners
    self.samples = samples
  }

  /// One quantity, in the type's unit.
  public struct Element: Hashable, Sendable, Codable {
    /// The value, in the type's unit.
    public var value: Double
    /// The time from start to end; a single moment for most quantities.
    public var span: TimeSpan
    /// The identifier of the sample that owns the quantity.
    public var sample: UUID
  }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of quantities.
  public var endIndex: Int { owners.count }

  /// The quantity at that position in the order of starts. A position outside of the list is a programming error, as for an
  /// array.
  public subscript(position: Int) -> Element {
    let start = Timestamp(microseconds: quantities.starts[position])
    let end = quantities.ends.isEmpty ? start : Timestamp(microseconds: quantities.ends[position])
    return Element(
      value: quantities.values[position], span: TimeSpan(start: start, end: end) ?? TimeSpan(at: start),
      sample: samples[Int(owners[position])])
  }
}

extension QuantityList: Codable {
  private enum Key: CodingKey { case samples, owners, quantities }

  /// Samples, owners and quantities as columns; throws if the columns do not fit together.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let samples = try container.decode([UUID].self, forKey: .samples)
    let owners = try container.decode([Int32].self, forKey: .owners)
    let quantities = try container.decode(QuantityTrack.self, forKey: .quantities)
    let lengths = [quantities.starts.count, quantities.values.count]
    guard lengths.allSatisfy({ $0 == owners.count }),
      quantities.ends.isEmpty || quantities.ends.count == owners.count,
      owners.allSatisfy({ samples.indices.contains(Int($0)) })
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .owners, in: container, debugDescription: "the columns are not of one list of quantities")
    }
    self.init(quantities: quantities, owners: owners, samples: samples)
  }

  /// Samples, owners and quantities as columns.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(samples, forKey: .samples)
    try container.encode(owners, forKey: .owners)
    try container.encode(quantities, forKey: .quantities)
  }
}
