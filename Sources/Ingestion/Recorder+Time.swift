import HeartRateRecording
import DBus
import Sensors

extension Recorder {
  /// Makes sure that the timer fires by `instant`. It may fire earlier, and is then set anew: deadlines of sessions move
  /// with each notification, the timer does not.
  func armTimer(for instant: BootInstant?) {
    guard let instant else { return }
    if let timerInstant, timerInstant <= instant { return }
    if let timer { loop.cancel(timer) }
    timerInstant = instant
    timer = loop.schedule(at: instant.microseconds) { self.assumeIsolated { $0.timerFired() } }
  }

  package func timerFired() {
    timer = nil
    timerInstant = nil
    let now = clock.now()
    sessionsReached(now)
    dropUnlisted()
    // A recorder that stops plans nothing more: a deadline of the plan would stay due for ever.
    if !isStopping {
      if let deadline = plan.deadline, deadline <= now { perform(plan.timeReached(now)) }
      if let retryAt, retryAt <= now { retryCommits() }
      armTimer(for: plan.deadline)
      armTimer(for: retryAt)
    }
    for channel in channels.values { armTimer(for: channel.machine.deadline) }
    tellStatus()
  }
}
