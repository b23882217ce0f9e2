import DBus
import Ingestion
import Timeline

extension Door {
  /// `Live1`.
  func answerLive(_ call: ClientCall) throws(Refusal) {
    switch call.member {
    case "Subscribe":
      let effects = try registry.subscribe(call.sender, to: call.texts(0), at: now)
      // Values are received from the recorder before the answer: those that come after it are not missed.
      settle()
      respond(to: call, .success)
      perform(effects)
    case "Unsubscribe":
      registry.unsubscribe(call.sender)
      respond(to: call, .success)
    default: respond(to: call, .unknownMethod)
    }
  }
}

extension Door {
  /// As many values as wait at most, before some are lost: those of ten seconds of 48 straps.
  private static let capacity = 1024
  /// The greatest age of a status of the recorder that is used for an answer, in microseconds: a flood of questions is
  /// one for the recorder.
  private static let freshness: Int64 = 1_000_000

  /// Takes values from the recorder while a subscriber may read them.
  func followValues() {
    if !registry.wantsValues {
      values?.cancel()
      values = nil
      registry.forgetSensors()
    } else if values == nil {
      let events = recorder.events([.measurements, .sessions, .heartEvents], capacity: Self.capacity)
      values = Task(executorPreference: loop) { await self.follow(events) }
    }
  }

  private func follow(_ events: RecorderEvents) async {
    await tellStates()
    for await event in events {
      guard !Task.isCancelled else { return }
      handle(event)
      // Among what is lost may be what a sensor does now.
      if case .missed = event.kind { await tellStates() }
    }
  }

  /// Tells subscribers what the sensors do now.
  private func tellStates() async {
    let status = await recorder.status()
    guard !Task.isCancelled else { return }
    for sensor in status.sensors { perform(registry.changed(sensor.address, to: SentState(sensor.state), at: now)) }
  }

  private func handle(_ event: RecorderEvent) {
    switch (event.kind, event.sensor) {
    case (.measurement(let rate, let rrTicks, let contact), let sensor?):
      perform(
        registry.measured(
          sensor, beatsPerMinute: rate, rrTicks: rrTicks, contact: contact, time: event.time,
          unsentBytes: connection?.assumeIsolated { $0.unsentBytes } ?? 0, at: now))
    case (.state(let state), let sensor?):
      perform(registry.changed(sensor, to: SentState(state), at: now))
    case (.heartEvent(let event), let sensor?):
      perform(registry.found(event, of: sensor, at: now))
    case (.missed(let count), _):
      registry.lost(count)
    default: return
    }
    armTimer()
  }

  /// Calls `body` with what the recorder does now, or did a moment ago.
  func withStatus(_ body: @escaping @Sendable (RecorderStatus) -> Void) {
    if let status, now.microseconds(since: status.at) < Self.freshness { return body(status.value) }
    statusWaiters.append(body)
    guard statusWaiters.count == 1 else { return }
    Task(executorPreference: loop) { await self.readStatus() }
  }

  private func readStatus() async {
    let value = await recorder.status()
    status = (value, now)
    let waiters = statusWaiters
    statusWaiters = []
    for waiter in waiters { waiter(value) }
  }
}

extension SentState {
  fileprivate init(_ state: SensorStatus.State) {
    self =
      switch state {
      case .measuring: .measuring
      case .silent, .linked: .silent
      case .contactLost: .offSkin
      case .linkLost, .absent, .connecting: .linkLost
      }
  }
}
