extension Workout {
  /// The same workout, in which each lap and segment of a swim has its SWOLF score: strokes plus seconds, pauses left out.
  ///
  /// What no stroke was counted in has none, and a score that a program gave stays.
  func scored(_ quantities: CollectedQuantities) -> Workout {
    let pauses = pauses
    let swims = activities.filter { $0.configuration.activityType == .swimming }.map(\.span)
    let isSwim = configuration.activityType == .swimming
    func score(_ event: WorkoutEvent, isSwum: Bool) -> WorkoutEvent {
      guard isSwum, event.type == .lap || event.type == .segment, event.metadata[WorkoutEvent.swolfScoreKey] == nil,
        let strokes = quantities.statistics(for: .swimmingStrokeCount, over: event.span, without: pauses)?.sum,
        strokes > 0
      else { return event }
      var event = event
      let seconds = Double(pauses.microsecondsLeft(of: event.span)) / 1e6
      event.metadata[WorkoutEvent.swolfScoreKey] = .quantity(Quantity(strokes + seconds, .count))
      return event
    }
    return Workout(
      id: id, configuration, over: span,
      events: events.map { event in
        score(
          event,
          isSwum: isSwim || swims.contains { $0.start <= event.span.start && event.span.end <= $0.end })
      },
      activities: activities.map { activity in
        var activity = activity
        activity.events = activity.events.map {
          score($0, isSwum: activity.configuration.activityType == .swimming)
        }
        return activity
      }, metadata: metadata, allStatistics: allStatistics)
  }
}
