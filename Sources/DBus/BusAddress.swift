/// Which bus to connect to.
public enum BusAddress: Hashable, Sendable {
  /// The bus of the machine, where bluetoothd is.
  case system
  /// The bus of the person's session.
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
}
