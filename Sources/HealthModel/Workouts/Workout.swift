public import FoundationEssentials

/// A finished workout: its kind and place, its events and activities, and the figures of the samples collected with it.
public struct Workout: Hashable, Sendable, Identifiable, Codable {
  /// The identifier of the workout.
  public let id: UUID
  /// The kind and the place of the workout.
  public let configuration: WorkoutConfiguration
  /// The time from start to end, pauses included.
  public let span: TimeSpan
  /// The events in order of time, without those of one activity alone; see ``events(in:)``.
  public let events: [WorkoutEvent]
  /// The activities in order of time; empty if the workout was not divided.
  public let activities: [WorkoutActivity]
  /// Further information.
  public let metadata: Metadata
  /// The figures of the collected samples, by the identifier of the type; empty before they are computed.
  public let allStatistics: [WorkoutStatistics]

  /// A workout with the given parts. Events and activities are sorted by time; ``validate()`` checks their rules.
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

  /// The start of the span.
  public var start: Timestamp { span.start }
  /// The end of the span.
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

  /// The duration without pauses.
  public var duration: Duration { .microseconds(pauses.microsecondsLeft(of: span)) }

  /// The duration of the activity without pauses, both the workout's and its own.
  public func duration(of activity: WorkoutActivity) -> Duration {
    .microseconds(pauses.microsecondsLeft(of: activity.span))
  }

  /// The durations in microseconds, without pauses: of the workout, and of each activity.
  package var durations: [Int64] {
    let pauses = pauses
    return [pauses.microsecondsLeft(of: span)] + activities.map { pauses.microsecondsLeft(of: $0.span) }
  }

  /// The pauses. A pause that was not ended lasts to the end of its activity, or of the workout.
  package var pauses: TimeStretches {
    var pauses = TimeStretches(pausesIn: events, until: end)
    for activity in activities { pauses.formUnion(TimeStretches(pausesIn: activity.events, until: activity.end)) }
    return pauses
  }

  /// A copy with the figures of the collected quantities.
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

extension Workout {
  /// A copy with the heart rates of another source beside the figures that are its own.
  package func with(heartOf quantities: CollectedQuantities) -> Workout {
    let computed = with(quantities)
    func joined(_ own: [WorkoutStatistics], _ others: [WorkoutStatistics]) -> [WorkoutStatistics] {
      (own + others.filter { $0.type == .heartRate }).sorted { $0.type.identifier < $1.type.identifier }
    }
    return Workout(
      id: id, configuration, over: span, events: events,
      activities: zip(activities, computed.activities).map { own, computed in
        var activity = own
        activity.allStatistics = joined(own.allStatistics, computed.allStatistics)
        return activity
      }, metadata: metadata, allStatistics: joined(allStatistics, computed.allStatistics))
  }
}

extension [WorkoutEvent] {
  /// The events by start, then by end; equal ones in their present order.
  var inOrder: [WorkoutEvent] {
    indices.sorted { (self[$0].span.start, self[$0].span.end, $0) < (self[$1].span.start, self[$1].span.end, $1) }
      .map { self[$0] }
  }
}

/// A part of a workout with a configuration of its own: one sport of a race, or one interval of a run.
public struct WorkoutActivity: Hashable, Sendable, Identifiable, Codable {
  /// The identifier, which no other activity of the workout has.
  public var id: UUID
  /// The kind and the place of the activity.
  public var configuration: WorkoutConfiguration
  /// The time from start to end.
  public var span: TimeSpan
  /// The events of this activity alone; see ``Workout/events(in:)``.
  public var events: [WorkoutEvent]
  /// Further information.
  public var metadata: Metadata
  /// The figures of the samples collected in this time, by the identifier of the type; empty before they are computed.
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

  /// The start of the span.
  public var start: Timestamp { span.start }
  /// The end of the span.
  public var end: Timestamp { span.end }

  /// The figures of one type; nil if nothing of it was collected.
  public func statistics(for type: QuantityType) -> WorkoutStatistics? {
    allStatistics.first { $0.type.identifier == type.identifier }
  }
}

extension Workout {
  /// The most events of a workout, activities included: a lap every nine seconds of a day.
  public static let mostEvents = 10_000
  /// The most activities of a workout.
  public static let mostActivities = 1_000

  /// Throws the first rule that the workout breaks.
  ///
  /// Everything lies within the workout, and an activity's own events within the activity. Activities do not overlap, need not
  /// touch, and have different identifiers. In a ``WorkoutActivityType/swimBikeRun`` they are swimming, cycling, running or
  /// transition, in every other workout of its own type. No two laps overlap, of the workout or its activities; segments may.
  public func validate() throws(WorkoutError) {
    guard Timestamp.calendarRange.contains(start), Timestamp.calendarRange.contains(end) else { throw .timeOutOfRange }
    try configuration.validate()
    guard activities.count <= Self.mostActivities else { throw .tooManyActivities(limit: Self.mostActivities) }
    guard Set(activities.map(\.id)).count == activities.count else { throw .activityTwice }
    var previous: WorkoutActivity?
    for activity in activities {
      try activity.configuration.validate()
      try configuration.activityType.admit(activity.configuration.activityType)
      guard activity.start >= start, activity.end <= end else { throw .activityOutside }
      if let previous, activity.start < previous.end { throw .activitiesOverlap }
      for event in activity.events where event.span.start < activity.start || event.span.end > activity.end {
        throw .eventOutside(event.type)
      }
      previous = activity
    }
    for event in events where event.span.start < start || event.span.end > end { throw .eventOutside(event.type) }
    try Self.validate(events + activities.flatMap(\.events))
  }

  private static func validate(_ events: [WorkoutEvent]) throws(WorkoutError) {
    guard events.count <= mostEvents else { throw .tooManyEvents(limit: mostEvents) }
    var latest: Timestamp?
    for event in events.inOrder {
      guard WorkoutEventType.names[event.type] != nil else { throw .unknownEvent(event.type) }
      guard event.type == .lap else { continue }
      if let latest, event.span.start < latest { throw .lapsOverlap }
      latest = event.span.end
    }
  }
}

extension WorkoutActivityType {
  private static let partsOfSwimBikeRun: Set<WorkoutActivityType> = [.swimming, .cycling, .running, .transition]

  /// Throws ``WorkoutError/activityType(_:in:)`` unless an activity of that type may be in a workout of this one.
  func admit(_ type: WorkoutActivityType) throws(WorkoutError) {
    let isAdmitted = self == .swimBikeRun ? Self.partsOfSwimBikeRun.contains(type) : type == self
    guard isAdmitted else { throw .activityType(type, in: self) }
  }
}

/// A reason why a workout rejects a call. The workout stays as it was before.
@nonexhaustive
public enum WorkoutError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The workout would end before it starts, or an activity would.
  case endsBeforeStart
  /// A time lies outside of the years 1 to 9999.
  case timeOutOfRange
  /// The length of a lap is no length, not above 0, or above 10 km.
  case invalidLapLength
  /// The event does not lie in the workout, or in its own activity.
  case eventOutside(WorkoutEventType)
  /// The rules of such an event are not known to this program.
  case unknownEvent(WorkoutEventType)
  /// Two laps would overlap.
  case lapsOverlap
  /// The activity does not lie in the workout.
  case activityOutside
  /// Two activities would overlap.
  case activitiesOverlap
  /// Two activities would have the same identifier.
  case activityTwice
  /// No activity of the one type can be in a workout of the other.
  case activityType(WorkoutActivityType, in: WorkoutActivityType)
  /// The workout would have more events than `limit`.
  case tooManyEvents(limit: Int)
  /// The workout would have more activities than `limit`.
  case tooManyActivities(limit: Int)

  /// The builder does not collect yet.
  case notBegun
  /// The builder collects already.
  case alreadyBegun
  /// The builder still collects.
  case notEnded
  /// The builder's collection was ended before.
  case alreadyEnded
  /// The builder has made its workout, or has discarded it.
  case finished

  /// The session cannot do that in its state.
  case notPossible(in: WorkoutSession.State)
  /// The time is before that of an earlier call.
  case timeGoesBack
  /// No activity is under way.
  case noActivity
  /// A session makes such events itself.
  case eventOfSession(WorkoutEventType)

  /// One line for a person.
  public var description: String {
    switch self {
    case .endsBeforeStart: "it would end before it starts"
    case .timeOutOfRange: "the time lies outside of the years 1 to 9999"
    case .invalidLapLength: "the length of a lap is above 0 and at most 10 km"
    case .eventOutside(let type): "the event \(type) does not lie in its workout or activity"
    case .unknownEvent(let type): "the event \(type) is not known to this program"
    case .lapsOverlap: "two laps would overlap"
    case .activityOutside: "the activity does not lie in its workout"
    case .activitiesOverlap: "two activities would overlap"
    case .activityTwice: "two activities would have the same identifier"
    case .activityType(let type, let whole): "an activity of \(type) cannot be in a workout of \(whole)"
    case .tooManyEvents(let limit): "a workout has \(limit) events at most"
    case .tooManyActivities(let limit): "a workout has \(limit) activities at most"
    case .notBegun: "the collection has not begun"
    case .alreadyBegun: "the collection has begun already"
    case .notEnded: "the collection has not ended"
    case .alreadyEnded: "the collection has ended already"
    case .finished: "the workout was finished or discarded"
    case .notPossible(let state): "a session that is \(state) cannot do that"
    case .timeGoesBack: "the time is before that of an earlier call"
    case .noActivity: "no activity is under way"
    case .eventOfSession(let type): "a session makes the event \(type) itself"
    }
  }
}
