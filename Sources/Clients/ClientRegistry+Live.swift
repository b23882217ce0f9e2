import HealthModel
package import Sensors

extension ClientRegistry {
  /// Whether a subscriber may read anything: only then are values taken from the recorder.
  package var wantsValues: Bool {
    clients.values.contains { $0.subscription.map { $0.readsRates || $0.readsBeats } ?? false }
  }

  /// Whether a connection may know which sensors there are, and what they do.
  package func maySeeSensors(_ name: String) -> Bool {
    clients[name].map { may($0, .read, Self.rates) || may($0, .read, Self.beats) } ?? false
  }

  /// A client wants live values from now on; what it had subscribed to before ends.
  ///
  /// A sensor that is not there, and one that the client may not read, are the same to it: no values come.
  ///
  /// - Parameters:
  ///   - name: Who.
  ///   - addresses: Of which sensors; of all where none is named.
  ///   - now: When.
  /// - Returns: The states of the sensors that it may know.
  /// - Throws: ``Refusal/invalidSensor``, ``Refusal/limitsExceeded(_:)``.
  package mutating func subscribe(
    _ name: String, to addresses: [String], at now: BootInstant
  ) throws(Refusal) -> [Effect] {
    guard let client = clients[name] else { return [] }
    guard addresses.count <= limits.sensors else { throw .limitsExceeded(.sensors) }
    var wanted: Set<SensorAddress> = []
    for text in addresses {
      guard let address = SensorAddress(text) else { throw .invalidSensor }
      wanted.insert(address)
    }
    let others = clients.count { $0.key != name && $0.value.uid == client.uid && $0.value.subscription != nil }
    guard others < limits.subscriptionsOfUser else { throw .limitsExceeded(.subscriptions) }
    let subscription = LiveSubscription(
      sensors: wanted.isEmpty ? nil : wanted, readsRates: may(client, .read, Self.rates),
      readsBeats: may(client, .read, Self.beats), limits: limits, at: now)
    clients[name]?.subscription = subscription
    return states(for: name)
  }

  /// A client wants no live values any more; does nothing where it had none.
  package mutating func unsubscribe(_ name: String) {
    clients[name]?.subscription = nil
  }

  /// A value arrived.
  ///
  /// - Parameters:
  ///   - sensor: From where.
  ///   - beatsPerMinute: As sent; 0 is no rate.
  ///   - rrTicks: In 1/1024 s, as sent.
  ///   - contact: Whether it is on the skin; nil where it does not say.
  ///   - time: When it arrived, in microseconds since 1970 (UTC).
  ///   - unsentBytes: What was sent to all before, and waits for the bus.
  ///   - now: When it is handled.
  /// - Returns: A signal for each subscriber that may have it, and keeps up.
  package mutating func measured(
    _ sensor: SensorAddress, beatsPerMinute: UInt16, rrTicks: [UInt16], contact: Bool?, time: Int64,
    unsentBytes: Int = 0, at now: BootInstant
  ) -> [Effect] {
    var effects: [Effect] = []
    var state = sensors[sensor] ?? LiveSensor(.measuring)
    let isNews = state.isStale || sensors[sensor] == nil
    state.measured(beatsPerMinute: beatsPerMinute, rrTicks: rrTicks, at: now)
    sensors[sensor] = state
    if isNews { effects += states(of: sensor) }
    let value = LiveMeasurement(
      sensor: sensor, sequence: 0, time: time, beatsPerMinute: beatsPerMinute, rrTicks: rrTicks, contact: contact,
      missed: 0)
    let hasRoom = unsentBytes < limits.unsentBytes
    for name in names {
      guard clients[name]?.subscription?.covers(sensor) == true,
        let delivery = clients[name]?.subscription?.deliver(value, hasRoom: hasRoom, at: now)
      else { continue }
      if let value = delivery.value { effects.append(.measurement(to: name, value)) }
      if delivery.isAsked { effects.append(.ping(name)) }
    }
    return effects
  }

  /// So many values were lost on their way here, nobody knows of which sensors: every subscriber sees a hole.
  package mutating func lost(_ count: Int) {
    for name in names { clients[name]?.subscription?.lost(count) }
  }

  /// The recorder sees a sensor in another state.
  package mutating func changed(_ sensor: SensorAddress, to state: LiveState) -> [Effect] {
    let before = sensors[sensor]?.state
    sensors[sensor, default: LiveSensor(state)].change(to: state)
    return before == state ? [] : states(of: sensor)
  }

  /// Values are not taken from the recorder any more: what sensors did is not known either.
  package mutating func forgetSensors() {
    sensors = [:]
  }

  /// A subscriber has answered a ping, or called: it reads.
  package mutating func heard(from name: String, at now: BootInstant) -> [Effect] {
    // What was not sent meanwhile is not sent later; what the sensors do now is.
    clients[name]?.subscription?.heard(at: now) == true ? states(for: name) : []
  }

  /// The recorder ends.
  package func recorderStops() -> [Effect] {
    names.filter { clients[$0]?.subscription?.isPaused == false }.map { .state(to: $0, nil, .recorderStopping) }
  }

  mutating func findStale(at now: BootInstant) -> [Effect] {
    var effects: [Effect] = []
    for address in sensors.keys.sorted() where sensors[address]?.becomesStale(by: now) == true {
      effects += states(of: address)
    }
    return effects
  }

  /// What clients may read may be another than when they subscribed: values end at once, or begin with what the sensors do.
  mutating func updatePermissions() -> [Effect] {
    var effects: [Effect] = []
    for name in names {
      guard let client = clients[name], let before = client.subscription else { continue }
      var subscription = before
      subscription.readsRates = may(client, .read, Self.rates)
      subscription.readsBeats = may(client, .read, Self.beats)
      clients[name]?.subscription = subscription
      if !before.readsRates, !before.readsBeats { effects += states(for: name) }
    }
    return effects
  }

  private func states(for name: String) -> [Effect] {
    sensors.sorted { $0.key < $1.key }
      .filter { clients[name]?.subscription?.covers($0.key) == true }
      .map { .state(to: name, $0.key, $0.value.state) }
  }

  private func states(of sensor: SensorAddress) -> [Effect] {
    guard let state = sensors[sensor]?.state else { return [] }
    return names.filter {
      guard let subscription = clients[$0]?.subscription else { return false }
      return subscription.covers(sensor) && !subscription.isPaused
    }.map { .state(to: $0, sensor, state) }
  }

  private static let rates = "heartRate"
  private static let beats = "heartbeatSeries"
}
