import HealthModel

extension RecordedSession {
  /// The same session at another time. What a program said of it stays, dates too.
  ///
  /// - Throws: ``SeriesError`` where beats that were stored make no series: they are damaged.
  func moved(by microseconds: Int64) throws(SeriesError) -> RecordedSession {
    var moved = self
    moved.start = start.advanced(byMicroseconds: microseconds)
    moved.end = end.advanced(byMicroseconds: microseconds)
    for index in moved.rates.indices {
      moved.rates[index].time = moved.rates[index].time.advanced(byMicroseconds: microseconds)
    }
    for index in moved.gaps.indices {
      moved.gaps[index].start = moved.gaps[index].start.advanced(byMicroseconds: microseconds)
      moved.gaps[index].end = moved.gaps[index].end.advanced(byMicroseconds: microseconds)
    }
    for index in moved.markers.indices {
      moved.markers[index].time = moved.markers[index].time.advanced(byMicroseconds: microseconds)
    }
    moved.heartbeats = try heartbeats.moved(by: microseconds)
    return moved
  }
}

extension HeartbeatSeries {
  fileprivate func moved(by microseconds: Int64) throws(SeriesError) -> HeartbeatSeries {
    try HeartbeatSeries(
      timescale: timescale,
      runs: runs.map { run in
        var run = run
        run.map.anchor = run.map.anchor.advanced(byMicroseconds: microseconds)
        return run
      }, beats: beats, start: start?.advanced(byMicroseconds: microseconds))
  }
}

extension TimeSpan {
  /// The same length at another time.
  func moved(by microseconds: Int64) -> TimeSpan {
    let start = start.advanced(byMicroseconds: microseconds)
    return TimeSpan(start: start, end: end.advanced(byMicroseconds: microseconds)) ?? TimeSpan(at: start)
  }
}

extension Workout {
  /// The same workout at another time, with the figures that it has.
  func moved(by microseconds: Int64) -> Workout {
    Workout(
      id: id, configuration, over: span.moved(by: microseconds), events: events.moved(by: microseconds),
      activities: activities.map { activity in
        var activity = activity
        activity.span = activity.span.moved(by: microseconds)
        activity.events = activity.events.moved(by: microseconds)
        return activity
      }, metadata: metadata, allStatistics: allStatistics)
  }
}

extension [WorkoutEvent] {
  fileprivate func moved(by microseconds: Int64) -> [WorkoutEvent] {
    map { event in
      var event = event
      event.span = event.span.moved(by: microseconds)
      return event
    }
  }
}
