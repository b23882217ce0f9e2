public import FoundationEssentials

/// Quantities and the samples that own them, as columns: millions of them fit into memory.
public struct QuantityList: Hashable, Sendable, RandomAccessCollection {
  /// The quantities as columns.
  public package(set) var quantities = QuantityTrack()
  /// For each quantity, which of `samples` owns it.
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
    /// In the type's unit.
    public var value: Double
    /// From its start to its end; a single moment for most.
    public var span: TimeSpan
    /// The sample that owns it.
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
