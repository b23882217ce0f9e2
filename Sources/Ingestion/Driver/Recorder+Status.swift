import BlueZ
import DBus
import Timeline

extension Recorder {
  /// Observes the recorder, from now to the end of the recording; from any thread, also before ``run(ready:)``.
  ///
  /// Nothing is worked out that no observer wants, and nothing wakes an observer that did not happen. An observer of the
  /// status gets the present one first.
  ///
  /// - Parameters:
  ///   - interests: The kinds of events.
  ///   - capacity: The greatest number of events that wait for the observer, at least 1; the oldest of more are lost,
  ///     and counted.
  /// - Returns: A sequence over which one task iterates.
  public nonisolated func events(
    _ interests: RecorderEvent.Interests, capacity: Int = RecorderEvents.standardCapacity
  ) -> RecorderEvents {
    let events = observers.add(interests, capacity: capacity)
    if interests.contains(.status) {
      loop.execute {
        self.assumeIsolated {
          $0.statusSchedule.forget()
          $0.publishStatus()
        }
      }
    }
    return events
  }

  /// Publishes what has changed: states at once, new values at most once a second.
  func publishStatus() {
    if sensors.recordings.haveNewState {
      let events = sensors.newStates(at: clock.now(), wall: clock.wallMicroseconds())
      if observers.want(.sessions) { for event in events { observers.publish(event) } }
    }
    guard observers.want(.status) else { return }
    let now = clock.now()
    if statusSchedule.isDue(at: now) {
      sensors.recordings.judge(
        at: now, every: settings.judgingInterval.microseconds, wallMinusBoot: sensors.wallMinusBoot)
    }
    let status = status()
    switch statusSchedule.decide(status, at: now) {
    case .unchanged: break
    case .publish: observers.publish(RecorderEvent(.status(status), at: now.microseconds &+ sensors.wallMinusBoot))
    case .wait: publishStatusSoon()
    }
  }

  /// Publishes the status when a second has passed since the last time.
  func publishStatusSoon() {
    guard observers.want(.status), let instant = statusSchedule.wait() else { return }
    _ = loop.schedule(at: instant.microseconds) {
      self.assumeIsolated {
        $0.statusSchedule.waited()
        $0.publishStatus()
      }
    }
  }

  /// Returns the present status of the recorder.
  public func status() -> RecorderStatus {
    let state = condition.state(
      hasSensors: !sensors.recordings.isEmpty || settings.unlisted != .refused,
      isRecording: sensors.recordings.isRecording)
    var status = RecorderStatus(
      state: state, problem: condition.problem(in: state),
      sensors: sensors.statuses(wallMinusBoot: presentOffset, at: clock.now()))
    status.valuesInMemory = unwritten.values
    status.doubtful = store?.assumeIsolated { $0.doubtful } ?? 0
    return status
  }
}
