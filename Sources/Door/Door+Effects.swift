import RecorderBus
import DBus
import FoundationEssentials
import HealthModel
import Ingestion
import Timeline

extension Door {
  /// Carries out the registry's effects.
  func perform(_ effects: [Effect]) {
    var arguments = MeasurementArguments()
    for effect in effects {
      switch effect {
      case .answer(let number, let isDecided):
        guard let call = requests.removeValue(forKey: number) else { continue }
        respond(to: call, .values([.string(isDecided ? "decided" : "notDetermined")]))
      case .decided(let name, let share, let objects):
        var details: [String: Value] = ["share": .strings(share)]
        details["objects"] = objects.map { .string($0) }
        send(signal(ClientInterfaces.authorization, "Decided", [.properties(details)], to: name))
      case .requested(let name, let request):
        send(signal(ClientInterfaces.grants, "Requested", [request.value], to: name))
      case .measurement(let name, let measurement):
        send(signal(ClientInterfaces.live, "Measurement", arguments.values(of: measurement), to: name))
      case .state(let name, let sensor, let state):
        let sensor = sensor.map { "\($0)" } ?? ""
        send(
          signal(
            ClientInterfaces.live, "State", [.string(sensor), .string(state.rawValue), .properties([:])], to: name))
      case .event(let name, let sensor, let event):
        send(signal(ClientInterfaces.live, "Event", event.values(of: sensor), to: name))
      case .changed(let name, let count):
        send(signal(ClientInterfaces.healthStore, "Changed", [.uint64(count)], to: name))
      case .ping(let name): ping(name)
      case .end(.session, let identifier, let isClientGone):
        end(session: identifier, isClientGone ? .clientGone : .request)
      case .end(.series, let identifier, _): interrupt(series: identifier)
      case .end(.workout, let identifier, _): interrupt(workout: identifier)
      case .stored(let name, let workout): send(told("Stored", of: workout, to: name))
      case .discarded(let name, let workout): send(told("Discarded", of: workout, to: name))
      }
    }
  }

  private func signal(
    _ interface: Interface, _ member: String, _ body: [Value], to name: String,
    at path: ObjectPath = ClientInterfaces.root
  ) -> Message {
    .signal(path: path, interface: interface.name, member: member, body: body, to: name)
  }

  /// Returns the signal that reports the end of a workout.
  private func told(_ member: String, of workout: UUID, to name: String) -> Message {
    signal(
      ClientInterfaces.workout, member, [.string(workout.uuidString.lowercased())], to: name,
      at: .object(workout, below: ClientInterfaces.workoutObjects))
  }

  private func ping(_ name: String) {
    var message = Message.call(
      name, path: ClientInterfaces.root, interface: "org.freedesktop.DBus.Peer", member: "Ping")
    message.noAutoStart = true
    _ = connection?.assumeIsolated {
      $0.call(message, timeout: nil) { [weak self] result in
        self?.assumeIsolated { $0.pinged(name, result) }
      }
    }
  }

  /// A ping has ended. An error is an answer, too, but only where the subscriber sent it: one of the bus has no meaning
  /// for it.
  private func pinged(_ name: String, _ result: Result<Message, DBusError>) {
    let isAnswered =
      switch result {
      case .success: true
      case .failure(let error): if case .remote = error.code { !error.isFromBus } else { false }
      }
    if isAnswered { perform(registry.answeredPing(name, at: now)) } else { registry.pingFailed(name) }
    settle()
  }
}

/// The arguments of `Measurement` for one subscriber after the other. They get the same value, each with a number of its own: what
/// is the same is made once.
private struct MeasurementArguments {
  private var measurement: SentMeasurement?
  private var values: [Value] = []

  mutating func values(of next: SentMeasurement) -> [Value] {
    var before = measurement
    before?.sequence = next.sequence
    if before == next { values[1] = .uint64(next.sequence) } else { values = next.values }
    measurement = next
    return values
  }
}

extension SentMeasurement {
  /// The arguments of `Measurement`.
  fileprivate var values: [Value] {
    var details: [String: Value] = [:]
    details["contact"] = contact.map { .boolean($0) }
    if missed > 0 { details["missed"] = .uint64(missed) }
    return [
      .string("\(sensor)"), .uint64(sequence), .int64(time), .uint16(beatsPerMinute),
      .array(rrTicks.map { .uint16($0) }, of: "q"), .properties(details),
    ]
  }
}

extension HeartEvent {
  /// The arguments of `Event`.
  fileprivate func values(of sensor: SensorAddress) -> [Value] {
    var details: [String: Value] = [
      "type": .string(kind.type.identifier), "rule": .string(rule.name), "rule_version": .int64(rule.version),
    ]
    details["threshold"] = threshold.map { .double($0) }
    return [
      .string("\(sensor)"), .int64(span.start.microseconds), .int64(span.end.microseconds), .properties(details),
    ]
  }
}

extension AccessRequest {
  /// As `Requested` and `List` show it.
  var value: Value {
    var details: [String: Value] = [
      "uid": .uint32(client.uid), "application": .string(client.application), "share": .strings(share),
      "read": .strings(read),
    ]
    details["objects"] = objects.map { .string($0.type) }
    return .properties(details)
  }
}
