import Sensors

extension SessionMachine {
  /// Handles a `boot` event: the recorder, and perhaps the machine, was restarted.
  ///
  /// An open session goes on; its sensor counts as away since the last journalled event.
  mutating func restart(_ event: SensorEvent) -> SessionTransition {
    let earlier = context
    context.update(with: event)
    defer { lastInstant = event.instant }
    stallEnd = nil
    guard isRecording, let lastInstant, let boot = earlier.boot else { return .none }
    live.breakRun()
    isRestarting = true
    if boot != context.boot {
      live.restart()
      gaps.lose(.boot, at: event.instant.microseconds)
      // Instants of two boots cannot be compared: no time counts as passed until the clock says how much.
      shiftInstants(by: event.instant.microseconds(since: lastInstant))
      restartWall = earlier.clockOffset.map { lastInstant.microseconds + $0 }
    }
    let since = awaySince ?? (boot == context.boot ? lastInstant : event.instant)
    awaySince = since
    enter(.linkLost, since: since)
    return expire(event.instant, isRestart: true)
  }

  /// Handles the clock's offset. After a reboot it shows how long that took.
  mutating func adoptClock(_ offset: Int64) {
    guard let wall = restartWall, let now = lastInstant else { return }
    restartWall = nil
    let passed = now.microseconds &+ offset &- wall
    // Without a clock battery a machine may believe that it is 1970.
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
