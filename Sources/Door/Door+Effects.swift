import Clients
import DBus
import HealthModel
import Ingestion
import Sensors

extension Door {
  /// Does what the registry says.
  func perform(_ effects: [Effect]) {
    for effect in effects {
      switch effect {
      case .answer(let number, let isDecided):
        guard let call = requests.removeValue(forKey: number) else { continue }
        respond(to: call, .values([.string(isDecided ? "decided" : "notDetermined")]))
      case .decided(let name, let share):
        send(signal(DoorInterfaces.authorization, "Decided", [.properties(["share": .strings(share)])], to: name))
      case .requested(let name, let request):
        send(signal(DoorInterfaces.grants, "Requested", [request.value], to: name))
      case .measurement(let name, let measurement):
        send(signal(DoorInterfaces.live, "Measurement", measurement.values, to: name))
      case .state(let name, let sensor, let state):
        let sensor = sensor.map { "\($0)" } ?? ""
        send(
          signal(DoorInterfaces.live, "State", [.string(sensor), .string(state.rawValue), .properties([:])], to: name))
      case .ping(let name): ping(name)
      }
    }
  }

  private func signal(_ interface: Interface, _ member: String, _ body: [Value], to name: String) -> Message {
    .signal(path: DoorInterfaces.root, interface: interface.name, member: member, body: body, to: name)
  }

  private func ping(_ name: String) {
    var message = Message.call(
      name, path: DoorInterfaces.root, interface: "org.freedesktop.DBus.Peer", member: "Ping")
    message.noAutoStart = true
    _ = connection?.assumeIsolated {
      $0.call(message, timeout: nil) { [weak self] result in
        switch result {
        case .success: break
        // An error is an answer, too.
        case .failure(let error): guard case .remote = error.code else { return }
        }
        self?.assumeIsolated {
          $0.perform($0.registry.heard(from: name, at: $0.now))
          $0.settle()
        }
      }
    }
  }
}

extension LiveMeasurement {
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

extension AccessRequest {
  /// As `Requested` and `List` show it.
  var value: Value {
    .properties([
      "uid": .uint32(client.uid), "application": .string(client.application), "share": .strings(share),
      "read": .strings(read),
    ])
  }
}
