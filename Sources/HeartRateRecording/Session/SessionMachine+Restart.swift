import Sensors

extension SessionMachine {
  /// Takes a `boot` event: the recorder, and perhaps the machine, was started anew.
  ///
  /// An open session goes on, with its sensor away since the last event that was journalled.
  mutating func restart(_ event: SensorEvent) -> SessionTransition {
    let earlier = context
    context.take(event)
    defer { lastInstant = event.instant }
    stallEnd = nil
    guard isRecording, let lastInstant, let boot = earlier.boot else { return .none }
    live.breakRun()
    isRestarting = true
    if boot != context.boot {
      live.restart()
      gaps.lose(.boot, at: event.instant.microseconds)
      // Instants of two boots cannot be compared: no time has passed until the clock tells how much.
      shiftInstants(by: event.instant.microseconds(since: lastInstant))
      restartWall = earlier.clockOffset.map { lastInstant.microseconds + $0 }
    }
    let since = awaySince ?? (boot == context.boot ? lastInstant : event.instant)
    awaySince = since
    enter(.linkLost, since: since)
    return expire(event.instant, isRestart: true)
  }

  /// Takes the clock's offset: after a restart of the machine it tells how long that took.
  mutating func adoptClock(_ offset: Int64) {
    guard let wall = restartWall, let now = lastInstant else { return }
    restartWall = nil
    let passed = now.microseconds &+ offset &- wall
    // A machine without a clock battery may think that it is 1970.
    if passed > 0 { shiftInstants(by: -passed) }
  }

  private mutating func shiftInstants(by microseconds: Int64) {
    sessionStart = sessionStart?.advanced(byMicroseconds: microseconds)
    phaseSince = phaseSince?.advanced(byMicroseconds: microseconds)
    lastMeasurement = lastMeasurement?.advanced(byMicroseconds: microseconds)
    awaySince = awaySince?.advanced(byMicroseconds: microseconds)
    rateInstant = rateInstant?.advanced(byMicroseconds: microseconds)
  }
}
