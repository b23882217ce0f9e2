extension TimeStretches {
  /// When a workout with these events was paused: from each `pause` to the next `resume`, and by the device in the same way.
  ///
  /// What is paused already, or not at all, stays as it is. A pause that does not end lasts until `end`.
  init(pausesIn events: [WorkoutEvent], until end: Timestamp) {
    self.init()
    let pairs: [(WorkoutEventType, WorkoutEventType)] = [(.pause, .resume), (.motionPaused, .motionResumed)]
    for (pause, resume) in pairs {
      var pauses = TimeStretches()
      var start: Timestamp?
      for event in events.inOrder {
        if event.type == pause {
          start = start ?? event.span.start
        } else if event.type == resume, let from = start {
          pauses.append(from: from.microseconds, to: event.span.start.microseconds)
          start = nil
        }
      }
      if let start { pauses.append(from: start.microseconds, to: end.microseconds) }
      formUnion(pauses)
    }
  }

  /// How much of the span lies outside of the stretches, in microseconds.
  package func microsecondsLeft(of span: TimeSpan) -> Int64 {
    var left: Int64 = 0
    forEachFreePart(from: span.start.microseconds, to: span.end.microseconds) {
      left = left.addingSaturated($1.subtractingSaturated($0))
    }
    return left
  }
}
