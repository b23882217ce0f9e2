import BlueZ
import DBus
import FoundationEssentials
import Timeline

extension Recorder {
  /// Makes sure that the timer fires by `instant`. The timer may fire earlier, and is then set anew: deadlines of
  /// sessions move with each notification, the timer does not.
  func armTimer(for instant: BootInstant?) {
    guard let instant else { return }
    if let timer {
      if timer.instant <= instant { return }
      loop.cancel(timer.token)
    }
    let token = loop.schedule(at: instant.microseconds) { self.assumeIsolated { $0.timerFired() } }
    timer = (token, instant)
  }

  /// Does what is due: sessions whose limits have passed end, what waits is tried again.
  package func timerFired() {
    timer = nil
    let now = clock.now()
    // Nothing else may have happened since the clock was set, and what ends now is dated by it.
    followClock(at: now)
    for index in sensors.recordings.indices {
      guard let ending = sensors.recordings[index].timeReached(now) else { continue }
      end(ending, of: index)
      commitSoon(ending.session)
    }
    for identifier in series.timeReached(now) { commitSoon(identifier) }
    armTimer(for: series.deadline)
    for ending in workouts.timeReached(now) { perform(ending) }
    armTimer(for: workouts.deadline)
    sensors.forgetUnlisted()
    // A recorder that stops plans nothing more: a deadline of the plan would stay due for ever.
    if !isStopping {
      retryJournal(at: now)
      wallClock?.assumeIsolated { $0.timeReached(now) }
      perform(sensors.timeReached(now), at: now)
      for session in commitQueue.due(at: now) { commitSoon(session) }
      armTimer(for: sensors.plan.deadline)
      armTimer(for: commitQueue.retryAt)
      armTimer(for: condition.journalRetryAt)
    }
    for index in sensors.recordings.indices { armTimer(for: sensors.recordings[index].deadline) }
    publishStatus()
  }
}

extension Recorder {
  /// Now; while what waited during a stall is read, the one instant at which the recorder ran again.
  var present: BootInstant {
    loop.stallEnd.map { BootInstant(microseconds: $0) } ?? clock.now()
  }

  /// Handles a time in which the recorder did not run. Waiting values with a time of their own are read first, then
  /// every session gets the stall's event; the loop goes on to read what has no such time, and judges afterwards what
  /// is due.
  func stalled(since: Int64, until: Int64) {
    guard condition.phase < .ended else { return }
    sensors.beginStall(since: BootInstant(microseconds: since), until: BootInstant(microseconds: until))
    bus?.assumeIsolated { $0.readWaitingValues() }
    endStall()
  }

  /// Everything that waited with a time of its own was read.
  func endStall() {
    guard let stall = sensors.stall else { return }
    perform(sensors.stallEnds(), at: stall.until)
    sensors.stall = nil
  }
}
