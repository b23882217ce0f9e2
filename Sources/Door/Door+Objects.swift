import RecorderBus
import DBus
import HealthModel
import Ingestion

extension Door {
  /// The objects that everybody sees: the root of ours, and what leads to it.
  private static let objects: [ObjectPath: ServiceObject] = [
    .root: ServiceObject(children: ["org"]),
    "/org": ServiceObject(children: ["sensord"]),
    ClientInterfaces.root: ServiceObject(ClientInterfaces.ofRoot, children: containers.map { String($0.lastElement) }),
  ]
  /// The paths directly above the objects of clients.
  private static let containers = [ClientInterfaces.sessions, ClientInterfaces.series, ClientInterfaces.workoutObjects]

  static let unknownObject = Reply.error(
    name: "org.freedesktop.DBus.Error.UnknownObject", message: "there is no such object")

  /// The object at a path, as a caller sees it; nil where there is none for it.
  func object(at path: ObjectPath, for name: String) -> ServiceObject? {
    if Self.containers.contains(path) {
      let children = registry.objects(for: name).map(\.path).filter { $0.parent == path }
      return ServiceObject(children: children.map { String($0.lastElement) })
    }
    return clientObject(at: path, for: name).map { ServiceObject([$0.interface]) } ?? Self.objects[path]
  }

  /// Returns the object that a client has begun at a path, if the caller sees it.
  func clientObject(at path: ObjectPath, for name: String) -> ClientObject? {
    let identifier = Self.containers.compactMap { path.identifier(below: $0) }.first
    guard let object = identifier.flatMap({ registry.object($0, for: name) }), object.path == path else { return nil }
    return object
  }
}

extension ClientObject {
  var path: ObjectPath { .object(identifier, below: parent) }

  var interface: Interface {
    switch kind {
    case .session: ClientInterfaces.session
    case .series(of: SampleType.heartbeatSeries.identifier): ClientInterfaces.heartbeatSeries
    case .series: ClientInterfaces.quantitySeries
    case .workout: ClientInterfaces.workout
    }
  }

  private var parent: ObjectPath {
    switch kind {
    case .session: ClientInterfaces.sessions
    case .series: ClientInterfaces.series
    case .workout: ClientInterfaces.workoutObjects
    }
  }
}

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
    properties["battery"] = battery.map { .byte($0) }
    properties["session_us"] = sessionStart.map { .int64($0) }
    return .properties(properties)
  }
}
