extension ConnectionPlan {
  /// Handles a Connect that has returned without an error. This does not prove a link that works: after a restart of
  /// bluetoothd, Connect succeeds on a link whose services never resolve.
  ///
  /// Also called for a link that an earlier plan made and left when its program was killed: this plan owns such a link.
  public mutating func connectSucceeded(
    _ address: SensorAddress, on adapter: AdapterIndex, at now: BootInstant
  ) -> [Command] {
    guard let sensor = index(of: address) else { return [] }
    var commands: [Command] = []
    let position = presencePosition(sensor, on: adapter)
    let wasCanceled = sensors[sensor].presences[position].call?.isCanceled == true
    sensors[sensor].presences[position].call = nil
    switch sensors[sensor].phase {
    case .connecting(let attempt) where attempt.adapter == adapter:
      adopt(sensor, from: attempt, at: now, &commands)
    case .searching where !wasCanceled && !sensors[sensor].isDismissed:
      adopt(sensor, on: adapter, isOurs: true, at: now, &commands)
    case .searching, .connecting, .linked, .leaving: break
    }
    removeIfDone(sensor)
    return reconcile(at: now, commands)
  }

  /// Handles a Connect that has returned an error.
  public mutating func connectFailed(
    _ address: SensorAddress, on adapter: AdapterIndex, _ reason: ConnectFailure, at now: BootInstant
  ) -> [Command] {
    guard let sensor = index(of: address) else { return [] }
    let position = presencePosition(sensor, on: adapter)
    sensors[sensor].presences[position].call = nil
    guard case .connecting(let attempt) = sensors[sensor].phase, attempt.adapter == adapter else {
      removeIfDone(sensor)
      return reconcile(at: now, [])
    }
    let elapsed = now.duration(since: sensors[sensor].since)
    enter(.searching(notBefore: nil), sensor, at: now)
    switch reason {
    case .abortedByLocal where elapsed >= parameters.silentAbort:
      rest(sensor, on: adapter, at: now)
      return reconcile(at: now, [])
    case .abortedByLocal where elapsed >= parameters.lostInTheMaking && attempt.isQuiet && linkCount(on: adapter) > 0:
      fill(adapter, at: now)
      return reconcile(at: now, [])
    case .abortedByLocal where elapsed < parameters.lostInTheMaking:
      // The sensor advertises, else there would have been no link to lose: no need to hear it before.
      sensors[sensor].isEager = true
      waitBeforeRetry(sensor, reason, first: parameters.soonRetry, at: now)
      return reconcile(at: now, [])
    case .abortedByLocal, .other: sensors[sensor].wantsQuiet = true
    case .unknownObject:
      sensors[sensor].presences[position].isKnown = false
      sensors[sensor].presences[position].isFresh = false
    case .inProgress, .canceled: sensors[sensor].isEager = true
    case .notReady, .authentication: break
    }
    waitBeforeRetry(sensor, reason, at: now)
    return reconcile(at: now, [])
  }

  /// Waits for a silent sensor: the next attempt comes when the sensor is heard, not before. One that no discovery
  /// hears (it advertises its name only, or to its bonded host only) is waited for with one pending Connect after the
  /// other, and so is each where BlueZ does not filter.
  private mutating func rest(_ sensor: Int, on adapter: AdapterIndex, at now: BootInstant) {
    guard !isUnfiltered(adapter) else { return sensors[sensor].retry.reset() }
    let isDeaf =
      adapterPosition(adapter).map { if case .failed = adapters[$0].discovery { true } else { false } } ?? true
    switch sensors[sensor].foundBy {
    case .heartRateService where !isDeaf:
      sensors[sensor].retry.reset()
    case .everything:
      sensors[sensor].isEager = true
    case .heartRateService, nil:
      sensors[sensor].isEager = true
      let wait = sensors[sensor].retry.next(
        first: parameters.unheardRetry, longest: parameters.longestAuthenticationRetry, using: &random)
      sensors[sensor].notBefore = now.advanced(by: wait)
      sensors[sensor].waitsUnheard = true
    }
  }

  /// Stops waiting for answers that are overdue, so that a lost answer does not hold up a sensor for ever.
  mutating func giveUpAnswers(of sensor: Int, at now: BootInstant, _ commands: inout [Command]) {
    for position in sensors[sensor].presences.indices {
      let presence = sensors[sensor].presences[position]
      guard let call = presence.call, call.until <= now else { continue }
      sensors[sensor].presences[position].call = nil
      guard case .connecting(let attempt) = sensors[sensor].phase, attempt.adapter == presence.adapter else { continue }
      enter(.searching(notBefore: nil), sensor, at: now)
      commands.append(.disconnect(sensors[sensor].address, on: presence.adapter))
      waitBeforeRetry(sensor, .other, at: now)
    }
  }

  private mutating func waitBeforeRetry(
    _ sensor: Int, _ reason: ConnectFailure, first: Duration? = nil, at now: BootInstant
  ) {
    let longest = reason == .authentication ? parameters.longestAuthenticationRetry : parameters.longestRetry
    let wait = sensors[sensor].retry.next(
      first: first ?? parameters.firstRetry, longest: longest, using: &random)
    sensors[sensor].notBefore = now.advanced(by: wait)
    sensors[sensor].waitsUnheard = false
  }

  private mutating func fill(_ adapter: AdapterIndex, at now: BootInstant) {
    guard let position = adapterPosition(adapter) else { return }
    let wait = adapters[position].fullRetry.next(
      first: parameters.full, longest: parameters.longestFull, using: &random)
    adapters[position].fullUntil = now.advanced(by: wait)
  }

  /// Ends an attempt of ours; its answer is still to come.
  mutating func cancel(_ attempt: Attempt, of sensor: Int, at now: BootInstant, _ commands: inout [Command]) {
    let position = presencePosition(sensor, on: attempt.adapter)
    sensors[sensor].presences[position].call = .canceled(until: now.advanced(by: parameters.leaving))
    enter(.searching(notBefore: nil), sensor, at: now)
    commands.append(.disconnect(sensors[sensor].address, on: attempt.adapter))
  }

  func linkCount(on adapter: AdapterIndex) -> Int {
    sensors.count { $0.presences.contains { $0.adapter == adapter && $0.isLinked } }
  }
}

/// The reason for which an attempt to connect failed, as far as the next step depends on it.
///
/// The names and times are those of BlueZ 5.66 (`org.bluez.Device1.Connect`).
public enum ConnectFailure: Hashable, Sendable {
  /// `Failed "Operation already in progress"`: another program's attempt is pending.
  case inProgress
  /// `NotReady`, or `Failed "Input/output error"`: the adapter is not powered.
  case notReady
  /// `Failed "le-connection-abort-by-local"`. What it means depends on how long it took: at once, the link was lost
  /// in the making; after 4 s, the sensor advertises but the adapter holds no more links; after 40 s, it was silent.
  case abortedByLocal
  /// `Failed "br-connection-canceled"`: somebody called Disconnect.
  case canceled
  /// `org.freedesktop.DBus.Error.UnknownObject`: BlueZ has forgotten the device, it must be discovered again.
  case unknownObject
  /// The sensor wants to be paired first, or pairing was refused.
  case authentication
  /// Anything else, no answer included. Some adapters refuse to connect while they scan.
  case other
}
