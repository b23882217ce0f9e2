import ClientInterfaces
import Clients
import DBus
import FoundationEssentials
import HealthModel

extension Door {
  /// The objects that everybody sees: the root of ours, and what leads to it.
  private static let objects: [ObjectPath: ServiceObject] = [
    .root: ServiceObject(children: ["org"]),
    "/org": ServiceObject(children: ["sensord"]),
    ClientInterfaces.root: ServiceObject(ClientInterfaces.ofRoot, children: containers.map { String($0.lastElement) }),
  ]
  /// What the objects of clients are directly below.
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

  /// What a client has begun at a path, if the caller sees it.
  func clientObject(at path: ObjectPath, for name: String) -> ClientObject? {
    guard let object = path.identifier.flatMap({ registry.object($0, for: name) }), object.path == path else {
      return nil
    }
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

extension ObjectPath {
  /// The path of what a client has begun: its identifier with `_` for `-`, which no path may have.
  static func object(_ identifier: UUID, below parent: ObjectPath) -> ObjectPath {
    parent.appending(String(identifier.uuidString.lowercased().map { $0 == "-" ? "_" : $0 })) ?? parent
  }

  /// The identifier in the path of what a client has begun; nil in others.
  fileprivate var identifier: UUID? {
    UUID(uuidString: String(lastElement.map { $0 == "_" ? "-" : $0 }))
  }
}
