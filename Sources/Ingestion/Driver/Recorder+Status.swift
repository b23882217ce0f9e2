import BlueZ
import DBus
import FoundationEssentials
import GATTHeartRate
import HeartRateRecording
import Sensors

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
    publishStates()
    guard observers.want(.status) else { return }
    let now = clock.now()
    if statusSchedule.isDue(at: now) {
      recordings.judge(at: now, every: settings.judgingInterval.microseconds, wallMinusBoot: wallOffset)
    }
    let status = status()
    switch statusSchedule.decide(status, at: now) {
    case .unchanged: break
    case .publish: observers.publish(RecorderEvent(.status(status), at: now.microseconds &+ wallOffset))
    case .wait: publishStatusSoon()
    }
  }

  /// Publishes the status when a second has passed since the last time.
  func publishStatusSoon() {
    guard statusTimer == nil, observers.want(.status) else { return }
    statusTimer = loop.schedule(at: statusSchedule.nextAt.microseconds) {
      self.assumeIsolated {
        $0.statusTimer = nil
        $0.publishStatus()
      }
    }
  }

  private func publishStates() {
    for index in recordings.indices where recordings[index].hasNewState {
      recordings[index].publishState(at: clock.now())
      guard observers.want(.sessions) else { continue }
      let recording = recordings[index]
      observers.publish(
        RecorderEvent(
          .state(recording.state), of: recording.address, session: recording.session?.id, at: clock.wallMicroseconds()))
    }
  }

  /// Returns the present status of the recorder.
  public func status() -> RecorderStatus {
    let state = condition.state(
      hasSensors: !recordings.isEmpty || settings.unlisted != .refused, isRecording: recordings.isRecording)
    let offset = presentOffset
    var status = RecorderStatus(
      state: state, problem: condition.problem(in: state),
      sensors: recordings.indices.map {
        var status = recordings[$0].status(
          wallMinusBoot: offset, nextTry: plan.standing(of: recordings[$0].address)?.nextTry)
        status.namesake = namesake(of: $0, at: clock.now())
        return status
      })
    status.valuesInMemory = unwritten.values
    status.doubtful = doubtful
    return status
  }

  /// Publishes what an event meant for its sensor.
  func publishNews(of step: SensorRecording.Step, _ index: Int, gapsBefore gaps: Int) {
    for event in recordings[index].news(of: step, gapsBefore: gaps, wallMinusBoot: wallOffset) {
      observers.publish(event)
    }
  }

  /// Publishes a notification of an open session as it was sent, unless it is no measurement.
  func publishMeasurement(_ bytes: [UInt8], of index: Int) {
    let recording = recordings[index]
    guard let session = recording.session?.id, let instant = recording.lastInstant,
      let value = try? HeartRateMeasurement(decoding: bytes)
    else { return }
    let contact: Bool? =
      switch value.contact {
      case .detected: true
      case .notDetected: false
      case .notSupported: nil
      }
    observers.publish(
      RecorderEvent(
        .measurement(beatsPerMinute: value.beatsPerMinute, rrTicks: value.rrTicks, contact: contact),
        of: recording.address, session: session, at: instant.microseconds &+ wallOffset))
  }

  func publishEnd(_ ending: SessionEnding, of index: Int) {
    guard observers.want(.sessions) else { return }
    observers.publish(
      RecorderEvent(
        .sessionEnded(ending.reason), of: recordings[index].address, session: ending.session,
        at: ending.instant.microseconds &+ wallOffset))
  }

  func publish(_ loss: JournalLoss, of index: Int, session: UUID?) {
    guard loss.values > 0, observers.want(.sessions) else { return }
    observers.publish(
      RecorderEvent(
        .lost(values: loss.values, microseconds: loss.microseconds), of: recordings[index].address,
        session: session, at: clock.wallMicroseconds()))
  }
}
