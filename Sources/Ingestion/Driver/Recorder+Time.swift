import DBus
import FoundationEssentials
import Sensors

extension Recorder {
  /// Makes sure that the timer fires by `instant`. It may fire earlier, and is then set anew: deadlines of sessions move
  /// with each notification, the timer does not.
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
    for index in recordings.indices {
      guard let ending = recordings[index].timeReached(now) else { continue }
      end(ending, of: index)
      commitSoon(ending.session)
    }
    interruptSeries(at: now)
    endWorkouts(at: now)
    removeUnlisted()
    // A recorder that stops plans nothing more: a deadline of the plan would stay due for ever.
    if !isStopping {
      retryJournal(at: now)
      clockTimeReached(now)
      if let deadline = plan.deadline, deadline <= now { perform(plan.timeReached(now)) }
      for session in commitQueue.due(at: now) { commitSoon(session) }
      armTimer(for: plan.deadline)
      armTimer(for: commitQueue.retryAt)
      armTimer(for: journalRetryAt)
    }
    for index in recordings.indices { armTimer(for: recordings[index].deadline) }
    publishStatus()
  }
}
