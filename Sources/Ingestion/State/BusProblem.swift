import DBus

/// Why bluetoothd cannot be talked to.
enum BusProblem: Hashable {
  /// The bus does not answer; libdbus's words.
  case noBus(String)
  /// The bus refuses.
  case noPermission
  /// bluetoothd owns its name and does not answer.
  case silent
  /// bluetoothd answers with something else.
  case refused(String)

  init(_ error: DBusError) {
    if error.isAccessDenied {
      self = .noPermission
      return
    }
    switch error.code {
    case .cannotConnect, .disconnected, .timedOut: self = .noBus(error.message)
    default: self = .refused(error.description)
    }
  }

  /// One line: cause and remedy.
  var text: String {
    switch self {
    case .noBus(let message): "no message bus (\(message)); is dbus running?"
    case .noPermission: "the bus refuses access to bluetoothd; add this user to the group bluetooth"
    case .silent: "bluetoothd is running and does not answer; restart it with: systemctl restart bluetooth"
    case .refused(let message): "bluetoothd does not answer as it should (\(message))"
    }
  }
}
