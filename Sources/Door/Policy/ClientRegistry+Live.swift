package import HealthModel
package import Timeline

extension ClientRegistry {
  /// Whether a subscriber may read anything: only then are values received from the recorder.
  package var wantsValues: Bool {
    clients.values.contains { $0.subscription?.readsAnything ?? false }
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
  ///   - addresses: The sensors; empty for all.
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
    let own = client.subscription == nil ? 0 : 1
    func has(_ client: ConnectedClient) -> Int { client.subscription == nil ? 0 : 1 }
    guard count(of: client.identity, has) - own < limits.subscriptionsOfClient,
      count(ofUser: client.uid, has) - own < limits.subscriptionsOfUser
    else { throw .limitsExceeded(.subscriptions) }
    let subscription = LiveSubscription(
      sensors: wanted.isEmpty ? nil : wanted, readsRates: may(client, .read, Self.rates),
      readsBeats: may(client, .read, Self.beats), readsEvents: readableEvents(of: client))
    clients[name]?.subscription = subscription
    return states(for: name, at: now)
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
  ///   - contact: Whether it is on the skin; nil if the sensor does not report it.
  ///   - time: When it arrived, in microseconds since 1970 (UTC).
  ///   - unsentBytes: Bytes that were sent to all before, and wait for the bus.
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
    if isNews { effects += states(of: sensor, at: now) }
    let value = SentMeasurement(
      sensor: sensor, sequence: 0, time: time, beatsPerMinute: beatsPerMinute, rrTicks: rrTicks, contact: contact,
      missed: 0)
    let hasRoom = unsentBytes < limits.unsentBytes
    var backlog = UnsentBacklog(clients.values, limits)
    for name in names {
      guard var client = clients[name], client.subscription?.covers(sensor) == true else { continue }
      client.reception.update(at: now)
      if hasRoom, backlog.mayGrow(client), client.values.take(at: now), let own = client.subscription?.next(value) {
        client.reception.sent(own.bytes)
        backlog.add(own.bytes, for: client)
        effects.append(.measurement(to: name, own))
      } else {
        client.subscription?.lost(1)
      }
      if hasRoom, client.reception.asks(at: now) { effects.append(.ping(name)) }
      clients[name] = client
    }
    return effects
  }

  /// So many values were lost on their way here, nobody knows of which sensors: every subscriber sees a hole.
  package mutating func lost(_ count: Int) {
    for name in names { clients[name]?.subscription?.lost(count) }
  }

  /// The recorder sees a sensor in another state.
  package mutating func changed(_ sensor: SensorAddress, to state: SentState, at now: BootInstant) -> [Effect] {
    let before = sensors[sensor]?.state
    sensors[sensor, default: LiveSensor(state)].change(to: state)
    return before == state ? [] : states(of: sensor, at: now)
  }

  /// Forgets the sensors' states: values are not received from the recorder any more.
  package mutating func forgetSensors() {
    sensors = [:]
  }

  /// Receives a subscriber's answer to a ping: the subscriber reads.
  package mutating func answeredPing(_ name: String, at now: BootInstant) -> [Effect] {
    // Values that were not sent meanwhile are not sent later; the sensors' present states are.
    clients[name]?.reception.answered(at: now) == true ? states(for: name, at: now) : []
  }

  /// Handles a ping that the bus did not deliver, or whose answer was lost: nothing follows for the subscriber, and the
  /// ping is repeated.
  package mutating func pingFailed(_ name: String) {
    clients[name]?.reception.pingFailed()
  }

  /// Whether a subscriber is sent nothing because it does not answer.
  package func isPaused(_ name: String) -> Bool { clients[name]?.reception.isPaused ?? false }

  /// The recorder ends.
  package func recorderStops() -> [Effect] {
    names.filter { clients[$0]?.subscription != nil && clients[$0]?.reception.isPaused == false }
      .map { .state(to: $0, nil, .recorderStopping) }
  }

  mutating func findStale(at now: BootInstant) -> [Effect] {
    var effects: [Effect] = []
    for address in sensors.keys.sorted() where sensors[address]?.becomesStale(by: now) == true {
      effects += states(of: address, at: now)
    }
    return effects
  }

  /// Applies permissions that have changed since clients subscribed: values end at once, or begin with the sensors'
  /// states.
  mutating func updatePermissions(at now: BootInstant) -> [Effect] {
    revision += 1
    var effects: [Effect] = []
    for name in names {
      guard let client = clients[name], let before = client.subscription else { continue }
      var subscription = before
      subscription.readsRates = may(client, .read, Self.rates)
      subscription.readsBeats = may(client, .read, Self.beats)
      subscription.readsEvents = readableEvents(of: client)
      clients[name]?.subscription = subscription
      if !before.readsRates, !before.readsBeats { effects += states(for: name, at: now) }
    }
    return effects
  }

  /// Returns the sensors' states for one subscriber.
  mutating func states(for name: String, at now: BootInstant) -> [Effect] {
    sensors.sorted { $0.key < $1.key }.flatMap { tell(name, of: $0.key, $0.value.state, at: now) }
  }

  private mutating func states(of sensor: SensorAddress, at now: BootInstant) -> [Effect] {
    guard let state = sensors[sensor]?.state else { return [] }
    return names.flatMap { tell($0, of: sensor, state, at: now) }
  }

  /// Reports a sensor's state to a subscriber. A subscriber that does not read gets the state when it reads again.
  private mutating func tell(
    _ name: String, of sensor: SensorAddress, _ state: SentState, at now: BootInstant
  ) -> [Effect] {
    guard var client = clients[name], client.subscription?.covers(sensor) == true else { return [] }
    defer { clients[name] = client }
    client.reception.update(at: now)
    guard !client.reception.isPaused, client.reception.unread < limits.unreadBytes else {
      client.reception.lacksStates = true
      return client.reception.asks(at: now) ? [.ping(name)] : []
    }
    client.reception.sent(SentMeasurement.bytes)
    let effect = Effect.state(to: name, sensor, state)
    return client.reception.asks(at: now) ? [effect, .ping(name)] : [effect]
  }

  /// A heart event was found in an open session.
  ///
  /// - Returns: A signal for each subscriber that may read its type and reads what it is sent.
  package mutating func found(_ event: HeartEvent, of sensor: SensorAddress, at now: BootInstant) -> [Effect] {
    var effects: [Effect] = []
    for name in names {
      guard var client = clients[name], client.subscription?.covers(event.kind, of: sensor) == true else { continue }
      client.reception.update(at: now)
      if !client.reception.isPaused, client.reception.unread < limits.unreadBytes {
        client.reception.sent(SentMeasurement.bytes)
        effects.append(.event(to: name, sensor, event))
      }
      if client.reception.asks(at: now) { effects.append(.ping(name)) }
      clients[name] = client
    }
    return effects
  }

  private func readableEvents(of client: ConnectedClient) -> Set<HeartEvent.Kind> {
    Set(HeartEvent.Kind.allCases.filter { may(client, .read, $0.type.identifier) })
  }

  private static let rates = "heartRate"
  private static let beats = "heartbeatSeries"
}
