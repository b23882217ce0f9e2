internal import Glibc

/// Which bus to connect to.
public enum BusAddress: Hashable, Sendable {
  /// The bus of the machine, where bluetoothd is.
  case system
  /// The bus of the user's session.
  case session
  /// An address as `dbus-daemon --print-address` writes it, `unix:path=/run/user/1000/bus` for example.
  case address(String)

  /// `system`, `session`, or an address.
  public init(_ text: String) {
    switch text {
    case "system": self = .system
    case "session": self = .session
    default: self = .address(text)
    }
  }

  /// The address as D-Bus writes it. The places of the two well-known buses are those of the specification.
  var text: String {
    switch self {
    case .system:
      return Self.environment("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket"
    case .session:
      if let address = Self.environment("DBUS_SESSION_BUS_ADDRESS") { return address }
      // Not libdbus's "autolaunch:", which would start a program and wait for it on the loop's thread.
      return "unix:path=\(Self.environment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())")/bus"
    case .address(let text):
      return text
    }
  }

  private static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}
