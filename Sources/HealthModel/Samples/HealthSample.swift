public import FoundationEssentials

/// A stored sample: everything except its values.
public struct HealthSample: Hashable, Sendable, Identifiable, Codable {
  /// The identifier of the sample.
  public var id: UUID
  /// The type of the sample.
  public var type: SampleType
  /// The program that saved the sample.
  public var source: SourceRevision
  /// The hardware that measured.
  public var device: Device?
  /// The start of the sample.
  public var start: Timestamp
  /// The end of the sample.
  public var end: Timestamp
  /// The number of quantities, beats, parts, activities, locations, points or lenses; 1 for a single value.
  public var count: Int
  /// A category's value, a workout's activity type, or a prescription's purpose; nil for other kinds.
  public var value: Int64?
  /// The figures of the sample's quantities; nil for beats.
  public var summary: SampleSummary?
  /// Further metadata.
  public var metadata: Metadata
  /// The recording session to which the sample belongs.
  public var session: UUID?
  /// The identifier of several saves of one object by its source; nil if the object cannot be saved again.
  public var syncIdentifier: String?
  /// The version of the save.
  public var syncVersion: Int64?
  /// The number of the change that saved the sample.
  public var change: Int64

  /// The value of a category sample; nil for other kinds.
  public var category: CategoryValue? {
    type.kind == .category ? value.map(CategoryValue.init(rawValue:)) : nil
  }

  /// The activity of a workout; nil for other kinds.
  public var activityType: WorkoutActivityType? {
    type.kind == .workout ? value.map(WorkoutActivityType.init(rawValue:)) : nil
  }

  /// The purpose of a prescription; nil for other kinds.
  public var prescriptionType: VisionPrescriptionType? {
    type.kind == .visionPrescription ? value.flatMap(VisionPrescriptionType.init(rawValue:)) : nil
  }

  /// A sample with the given parts.
  public init(
    id: UUID, type: SampleType, source: SourceRevision, device: Device? = nil, start: Timestamp, end: Timestamp,
    count: Int, value: Int64? = nil, summary: SampleSummary? = nil, metadata: Metadata = [:], session: UUID? = nil,
    syncIdentifier: String? = nil, syncVersion: Int64? = nil, change: Int64
  ) {
    self.id = id
    self.type = type
    self.source = source
    self.device = device
    self.start = start
    self.end = end
    self.count = count
    self.value = value
    self.summary = summary
    self.metadata = metadata
    self.session = session
    self.syncIdentifier = syncIdentifier
    self.syncVersion = syncVersion
    self.change = change
  }
}

/// The figures of one quantity sample, in the type's unit.
public struct SampleSummary: Hashable, Sendable, Codable {
  /// The sum; nil for discrete types.
  public var sum: Double?
  /// The mean by the type's style; nil for cumulative types.
  public var average: Double?
  /// The smallest value.
  public var minimum: Double
  /// The greatest value.
  public var maximum: Double
  /// The latest value, by start.
  public var mostRecent: Double
  /// The time of the most recent value.
  public var mostRecentSpan: TimeSpan

  /// A summary with the given parts.
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
