extension Workout {
  /// The most events of a workout, activities included: a lap every nine seconds of a day.
  public static let mostEvents = 10_000
  /// The most activities of a workout.
  public static let mostActivities = 1_000

  /// Throws the first rule that the workout breaks.
  ///
  /// Everything lies within the workout, and an activity's own events within the activity. Activities do not overlap, need not
  /// touch, and have different identifiers. In a ``WorkoutActivityType/swimBikeRun`` they are swimming, cycling, running or
  /// transition, in every other workout of its own type. Laps do not overlap, whoever has them; segments may.
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
