import ClientInterfaces
import Clients
import DBus
import Ingestion

extension Door {
  /// `Manager1`.
  func answerManager(_ call: ClientCall) throws(Refusal) {
    switch call.member {
    case "ListSensors": listSensors(call)
    case "BeginSession": try beginSession(call)
    case "BeginSessions": try beginSessions(call)
    case "EndSessions": try endSessions(call)
    default: respond(to: call, .unknownMethod)
    }
  }

  /// The same is done for those who may know the sensors and for those who may not: neither answer comes sooner.
  private func listSensors(_ call: ClientCall) {
    withStatus { [weak self] status in
      self?.assumeIsolated { door in
        let mayKnow = door.registry.maySeeSensors(call.sender)
        door.respond(to: call, .values([.array(mayKnow ? status.sensors.map(\.value) : [], of: "a{sv}")]))
      }
    }
  }

  func readManager(for name: String, _ body: @escaping @Sendable (isolated Door, [String: Value]) -> Void) {
    withStatus { [weak self] status in
      self?.assumeIsolated { door in
        // A session is open also while its link, its adapter or bluetoothd is away.
        let isOpen = status.sensors.contains { $0.session != nil }
        let isRecording = isOpen && door.registry.maySeeSensors(name)
        body(door, ["Version": .string(door.settings.version), "Recording": .boolean(isRecording)])
      }
    }
  }
}

extension SensorStatus {
  /// As `ListSensors` shows it.
  fileprivate var value: Value {
    var properties: [String: Value] = ["address": .string("\(address)"), "state": .string(state.rawValue)]
    properties["name"] = name.map { .string($0) }
    return .properties(properties)
  }
}
