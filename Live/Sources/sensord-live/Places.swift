internal import Glibc
internal import LiveServer

/// Where the hub's files are: the service's folders, or those of the person who runs it.
enum Places {
  private static let serviceSocket = "/run/sensord-live/control"

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// The socket of a hub that is started here.
  static var ownSocket: String {
    if let folder = variable("RUNTIME_DIRECTORY") { return "\(folder)/control" }
    return variable("XDG_RUNTIME_DIR").map { "\($0)/sensord-live/control" } ?? "/tmp/sensord-live-\(getuid())/control"
  }

  /// The sockets on which a running hub may be found, the person's own first.
  static var sockets: [String] { [ownSocket, serviceSocket] }

  static func stateFolder() throws(LiveFailure) -> String {
    if let folder = variable("STATE_DIRECTORY") { return folder }
    if let folder = variable("XDG_STATE_HOME") { return "\(folder)/sensord-live" }
    guard let home = variable("HOME") else {
      throw LiveFailure(.usage, "there is no HOME to keep tokens in; name a folder with --state")
    }
    return "\(home)/.local/state/sensord-live"
  }
}
