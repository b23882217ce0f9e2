public import FoundationEssentials

/// A sample that was collected with a workout: its identifier, and what statistics need of it.
public struct WorkoutSample: Hashable, Sendable, Identifiable {
  /// The identifier under which it is saved.
  public var id: UUID
  /// Its type.
  public var type: SampleType
  /// The program and the device that it comes from.
  public var source: DataSource
  /// Its values, in the unit of its type; empty for what is no quantity.
  public var quantities: QuantityTrack

  /// A sample with the given parts.
  public init(id: UUID = UUID(), _ type: SampleType, from source: DataSource, quantities: QuantityTrack = .init()) {
    self.id = id
    self.type = type
    self.source = source
    self.quantities = quantities
  }
}
