import ClientInterfaces
import Clients
import DBus

extension Door {
  /// The objects that everybody sees: the root of ours, and what leads to it.
  private static let objects: [ObjectPath: ServiceObject] = [
    .root: ServiceObject(children: ["org"]),
    "/org": ServiceObject(children: ["sensord"]),
    ClientInterfaces.root: ServiceObject(ClientInterfaces.ofRoot, children: ["session", "series"]),
  ]

  static let unknownObject = Reply.error(
    name: "org.freedesktop.DBus.Error.UnknownObject", message: "there is no such object")

  /// The object at a path, as a caller sees it; nil where there is none for it.
  func object(at path: ObjectPath, for name: String) -> ServiceObject? {
    switch path {
    case ClientInterfaces.sessions:
      return ServiceObject(children: registry.sessions(for: name).map { String($0.path.lastElement) })
    case ClientInterfaces.series:
      return ServiceObject(children: registry.series(for: name).map { String($0.path.lastElement) })
    default: break
    }
    if session(at: path, for: name) != nil { return ServiceObject([ClientInterfaces.session]) }
    if let its = series(at: path, for: name) {
      return ServiceObject([its.isOfHeartbeats ? ClientInterfaces.heartbeatSeries : ClientInterfaces.quantitySeries])
    }
    return Self.objects[path]
  }
}
