package import FoundationEssentials
package import HealthModel

/// A recording for a file: a session, or a workout with the values recorded meanwhile.
package struct InterchangeRecording: Hashable, Sendable {
  /// The identity of the session or workout.
  package var id: UUID
  /// Whether it is a workout's.
  package var isWorkout: Bool
  /// The workout of which it is a copy that came in as a session; nil for all others.
  package var copiedWorkout: UUID?
  /// The name of the recording in formats that have names for recordings; nil for the first digits of the identity.
  package var name: String?
  /// The hardware that measured.
  package var device: Device
  /// The program that saved it.
  package var source: SourceRevision
  /// The time from the recording's start to its end.
  package var span: TimeSpan
  /// Rates in order of time.
  package var rates: [HeartRateValue]
  /// The beats in their runs.
  package var heartbeats: HeartbeatSeries
  /// The gaps in order of time.
  package var gaps: [RecordingGap]
  /// The activity of the workout; nil for a session, which has none.
  package var activity: WorkoutActivityType?
  /// The laps in order and without overlap, the times between them included; one lap of the whole recording where it has no laps.
  package var laps: [Lap]
  /// The workout with its events and figures; nil for a session.
  package var workout: Workout?

  /// A part of a recording.
  package struct Lap: Hashable, Sendable {
    package var span: TimeSpan
    package var activity: WorkoutActivityType?

    package init(_ span: TimeSpan, activity: WorkoutActivityType? = nil) {
      self.span = span
      self.activity = activity
    }
  }

  package init(
    id: UUID, device: Device, source: SourceRevision, span: TimeSpan, rates: [HeartRateValue] = [],
    heartbeats: HeartbeatSeries = HeartbeatSeries(), gaps: [RecordingGap] = [], activity: WorkoutActivityType? = nil,
    laps: [Lap] = [], isWorkout: Bool = false, workout: Workout? = nil
  ) {
    self.id = id
    self.isWorkout = isWorkout || workout != nil
    self.workout = workout
    self.device = device
    self.source = source
    self.span = span
    self.rates = rates
    self.heartbeats = heartbeats
    self.gaps = gaps
    self.activity = activity
    self.laps = laps.isEmpty ? [Lap(span, activity: activity)] : Self.filled(laps, over: span)
  }

  /// The laps, and further laps for uncovered times: between two activities, and behind the last recorded lap. Less than a second goes to the
  /// lap before.
  private static func filled(_ laps: [Lap], over span: TimeSpan) -> [Lap] {
    var filled: [Lap] = []
    func fill(to time: Timestamp) {
      let end = filled.last?.span.end ?? span.start
      guard let between = TimeSpan(start: end, end: time), between.microseconds > 0 else { return }
      if between.microseconds >= 1_000_000 {
        filled.append(Lap(between))
      } else if let last = filled.last, let longer = TimeSpan(start: last.span.start, end: time) {
        filled[filled.count - 1].span = longer
      }
    }
    for lap in laps {
      fill(to: lap.span.start)
      filled.append(lap)
    }
    fill(to: span.end)
    return filled
  }

  /// The pauses of the workout, within the recording's time; empty for a session.
  package var pauses: TimeStretches {
    var pauses = TimeStretches()
    for pause in workout?.pauses.stretches ?? [] {
      let start = max(pause.lowerBound, span.start.microseconds)
      let end = min(pause.upperBound, span.end.microseconds)
      if end > start { pauses.append(from: start, to: end) }
    }
    return pauses
  }

  /// The identity by which copies of the recording are recognized.
  package var identity: RecordingIdentity {
    if let copiedWorkout { return .workout(copiedWorkout) }
    return isWorkout ? .workout(id) : .session(id)
  }
}
