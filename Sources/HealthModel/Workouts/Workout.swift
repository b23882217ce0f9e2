public import FoundationEssentials

/// A finished workout: what it was, what happened in it, its activities, and the figures of what was collected with it.
public struct Workout: Hashable, Sendable, Identifiable, Codable {
  /// Its identifier.
  public let id: UUID
  /// What it was.
  public let configuration: WorkoutConfiguration
  /// From its start to its end, pauses included.
  public let span: TimeSpan
  /// Its events in order of time, without those that were told of one activity alone; see ``events(in:)``.
  public let events: [WorkoutEvent]
  /// Its activities in order of time; none if it was not divided.
  public let activities: [WorkoutActivity]
  /// Further information.
  public let metadata: Metadata
  /// The figures of what was collected with it, by the identifier of the type; empty before they are computed.
  public let allStatistics: [WorkoutStatistics]

  /// A workout with the given parts. They are brought into order; their rules are looked at by ``validate()``.
  public init(
    id: UUID = UUID(), _ configuration: WorkoutConfiguration, over span: TimeSpan, events: [WorkoutEvent] = [],
    activities: [WorkoutActivity] = [], metadata: Metadata = [:], allStatistics: [WorkoutStatistics] = []
  ) {
    self.id = id
    self.configuration = configuration
    self.span = span
    self.events = events.inOrder
    // Equal ones stay as they were, so that a workout that is read is the one that was saved.
    let places = activities.indices.sorted {
      (activities[$0].start, activities[$0].end, $0) < (activities[$1].start, activities[$1].end, $1)
    }
    self.activities = places.map { place in
      var activity = activities[place]
      activity.events = activity.events.inOrder
      return activity
    }
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

  /// The events of an activity: its own, and those of the workout that lie in it.
  public func events(in activity: WorkoutActivity) -> [WorkoutEvent] {
    let shared = events.filter { $0.span.start >= activity.start && $0.span.end <= activity.end }
    return (activity.events + shared).inOrder
  }

  /// How long it lasted, without pauses.
  public var duration: Duration { .microseconds(pauses.microsecondsLeft(of: span)) }

  /// How long the activity lasted, without pauses, whoever was told of them.
  public func duration(of activity: WorkoutActivity) -> Duration {
    .microseconds(pauses.microsecondsLeft(of: activity.span))
  }

  /// The durations in microseconds, without pauses: of the workout, and of each activity.
  package var durations: [Int64] {
    let pauses = pauses
    return [pauses.microsecondsLeft(of: span)] + activities.map { pauses.microsecondsLeft(of: $0.span) }
  }

  /// When it was paused. A pause that nobody ended lasts to the end: of its activity, or of the workout.
  package var pauses: TimeStretches {
    var pauses = TimeStretches(pausesIn: events, until: end)
    for activity in activities { pauses.formUnion(TimeStretches(pausesIn: activity.events, until: activity.end)) }
    return pauses
  }

  /// The same workout with the figures of what was collected.
  package func with(_ quantities: CollectedQuantities) -> Workout {
    let pauses = pauses
    return Workout(
      id: id, configuration, over: span, events: events,
      activities: activities.map { activity in
        var activity = activity
        activity.allStatistics = quantities.statistics(over: activity.span, without: pauses)
        return activity
      }, metadata: metadata, allStatistics: quantities.statistics(over: span, without: pauses))
  }
}

extension [WorkoutEvent] {
  /// By start, then by end; equal ones as they were.
  var inOrder: [WorkoutEvent] {
    indices.sorted { (self[$0].span.start, self[$0].span.end, $0) < (self[$1].span.start, self[$1].span.end, $1) }
      .map { self[$0] }
  }
}
