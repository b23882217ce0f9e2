public import FoundationEssentials
public import HealthModel

/// A sample as the store knows it: everything but its values.
public struct HealthSample: Hashable, Sendable, Identifiable {
  public var id: UUID
  public var type: SampleType
  public var source: SourceRevision
  public var device: Device?
  public var start: Timestamp
  public var end: Timestamp
  /// Quantities or beats.
  public var count: Int
  /// The figures of its quantities; nil for beats.
  public var summary: SampleSummary?
  public var metadata: Metadata
  /// The recording session that it belongs to.
  public var session: UUID?
  public var syncIdentifier: String?
  public var syncVersion: Int64?
  /// The number of the change that brought it.
  public var change: Int64
}

/// The figures of one quantity sample, in the type's unit.
public struct SampleSummary: Hashable, Sendable {
  /// Nil for discrete types.
  public var sum: Double?
  /// By the type's style; nil for cumulative types.
  public var average: Double?
  public var minimum: Double
  public var maximum: Double
  public var mostRecent: Double
  public var mostRecentSpan: TimeSpan

  public init(
    sum: Double?, average: Double?, minimum: Double, maximum: Double, mostRecent: Double, mostRecentSpan: TimeSpan
  ) {
    self.sum = sum
    self.average = average
    self.minimum = minimum
    self.maximum = maximum
    self.mostRecent = mostRecent
    self.mostRecentSpan = mostRecentSpan
  }
}
