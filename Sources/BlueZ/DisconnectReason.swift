/// Why a link ended, where BlueZ says (since 5.83) or the cause is plain.
public enum DisconnectReason: Hashable, Sendable, CustomStringConvertible {
  /// The device was not heard for longer than the supervision timeout.
  case timeout
  /// This machine closed the link.
  case local
  /// The device closed the link.
  case remote
  /// The device's or this machine's keys were refused.
  case authentication
  /// This machine went to sleep.
  case suspend
  /// The device's object was removed: by another program, or together with its adapter.
  case removed
  /// The adapter was switched off or pulled out.
  case adapterGone
  /// bluetoothd ended.
  case serviceGone
  /// The bus ended.
  case busLost
  /// BlueZ knows none either, or one that is new.
  case unknown

  /// Reads the first argument of `org.bluez.Device1.Disconnected`, `org.bluez.Reason.Timeout` for example.
  init(name: String) {
    self =
      switch name {
      case "org.bluez.Reason.Timeout": .timeout
      case "org.bluez.Reason.Local": .local
      case "org.bluez.Reason.Remote": .remote
      case "org.bluez.Reason.Authentication": .authentication
      case "org.bluez.Reason.Suspend": .suspend
      default: .unknown
      }
  }

  /// One or two words for a log and for the session's metadata.
  public var description: String {
    switch self {
    case .timeout: "timeout"
    case .local: "local"
    case .remote: "remote"
    case .authentication: "authentication"
    case .suspend: "suspend"
    case .removed: "device removed"
    case .adapterGone: "adapter gone"
    case .serviceGone: "bluetoothd gone"
    case .busLost: "bus lost"
    case .unknown: "unknown"
    }
  }
}
