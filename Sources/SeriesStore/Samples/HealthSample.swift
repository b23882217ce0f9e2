public import FoundationEssentials
public import HealthModel

/// A sample as the store knows it: everything but its values.
public struct HealthSample: Hashable, Sendable, Identifiable, Codable {
  /// Its identifier.
  public var id: UUID
  /// What it holds.
  public var type: SampleType
  /// The program that saved it.
  public var source: SourceRevision
  /// The hardware that measured.
  public var device: Device?
  /// When it begins.
  public var start: Timestamp
  /// When it ends.
  public var end: Timestamp
  /// Quantities, beats or parts; 1 for what is one value.
  public var count: Int
  /// The number that its kind is told by, as it stands in the file: a category's value; nil where the kind has none.
  public var value: Int64?
  /// The figures of its quantities; nil for beats.
  public var summary: SampleSummary?
  /// What is known beside the values.
  public var metadata: Metadata
  /// The recording session that it belongs to.
  public var session: UUID?
  /// What makes saves of one source one object; nil where it was saved once and for all.
  public var syncIdentifier: String?
  /// Which of those saves this is.
  public var syncVersion: Int64?
  /// The number of the change that brought it.
  public var change: Int64
}

/// The figures of one quantity sample, in the type's unit.
public struct SampleSummary: Hashable, Sendable, Codable {
  /// Nil for discrete types.
  public var sum: Double?
  /// By the type's style; nil for cumulative types.
  public var average: Double?
  /// The smallest value.
  public var minimum: Double
  /// The greatest value.
  public var maximum: Double
  /// The value that starts last.
  public var mostRecent: Double
  /// When the most recent value was measured.
  public var mostRecentSpan: TimeSpan

  /// Takes every part as it is.
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
