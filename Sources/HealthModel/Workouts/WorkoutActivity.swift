public import FoundationEssentials

/// A part of a workout with a configuration of its own: one sport of a race, or one interval of a run.
public struct WorkoutActivity: Hashable, Sendable, Identifiable, Codable {
  /// Its identifier, which no other activity of its workout has.
  public var id: UUID
  /// What it is.
  public var configuration: WorkoutConfiguration
  /// From its start to its end.
  public var span: TimeSpan
  /// Events that were told of it alone; see ``Workout/events(in:)``.
  public var events: [WorkoutEvent]
  /// Further information.
  public var metadata: Metadata
  /// The figures of what was collected while it lasted, by the identifier of the type; empty before they are computed.
  public var allStatistics: [WorkoutStatistics]

  /// An activity with the given parts.
  public init(
    id: UUID = UUID(), _ configuration: WorkoutConfiguration, over span: TimeSpan, events: [WorkoutEvent] = [],
    metadata: Metadata = [:], allStatistics: [WorkoutStatistics] = []
  ) {
    self.id = id
    self.configuration = configuration
    self.span = span
    self.events = events
    self.metadata = metadata
    self.allStatistics = allStatistics
  }

  /// When it begins.
  public var start: Timestamp { span.start }
  /// When it ends.
  public var end: Timestamp { span.end }

  /// The figures of one type; nil if nothing of it was collected.
  public func statistics(for type: QuantityType) -> WorkoutStatistics? {
    allStatistics.first { $0.type.identifier == type.identifier }
  }
}
