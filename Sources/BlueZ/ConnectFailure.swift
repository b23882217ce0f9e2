internal import DBus

/// Why a link did not come up.
public enum ConnectFailure: Error, Hashable, Sendable {
  /// BlueZ does not know the device, or forgot it in this moment: discover it first.
  case unknownDevice
  /// No adapter that knows the device is switched on.
  case adapterOff
  /// The device did not answer or the link could not be made; BlueZ gave up, after 40 s where it was silent, after 4 s
  /// where the adapter holds no more links, at once where the link broke.
  case aborted
  /// The device refused.
  case refused
  /// Somebody called Disconnect meanwhile.
  case cancelled
  /// Another program's Connect is still pending.
  case inProgress
  /// Keys are missing or refused.
  case authentication
  /// The bus's policy forbids it: on some systems one must be in the group `bluetooth`.
  case accessDenied
  /// bluetoothd ended.
  case serviceGone
  /// The bus ended.
  case busLost
  /// Another error of BlueZ: its D-Bus name and text.
  case other(name: String, text: String)

  init(_ error: DBusError) {
    switch error.code {
    case .disconnected: self = .busLost
    case .remote(let name): self = Self.classify(name: name, text: error.message)
    default: self = .other(name: "", text: error.message)
    }
  }

  /// Reads BlueZ's text, since nearly every failure of Connect bears the name `org.bluez.Error.Failed`.
  ///
  /// Source: BlueZ `src/error.h`, and what was seen of 5.66.
  private static func classify(name: String, text: String) -> ConnectFailure {
    switch name {
    case "org.freedesktop.DBus.Error.UnknownObject", "org.bluez.Error.DoesNotExist": return .unknownDevice
    case "org.freedesktop.DBus.Error.AccessDenied": return .accessDenied
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.NoReply":
      return .serviceGone
    case "org.bluez.Error.InProgress": return .inProgress
    case "org.bluez.Error.NotReady": return .adapterOff
    case "org.bluez.Error.AuthenticationFailed", "org.bluez.Error.AuthenticationRejected",
      "org.bluez.Error.AuthenticationCanceled", "org.bluez.Error.AuthenticationTimeout":
      return .authentication
    default: break
    }
    switch text {
    case "Operation already in progress": return .inProgress
    case "Input/output error", "le-connection-adapter-not-powered", "br-connection-adapter-not-powered":
      return .adapterOff
    case "le-connection-abort-by-local", "br-connection-aborted-by-local": return .aborted
    case "le-connection-abort-by-remote", "le-connection-refused", "br-connection-aborted-by-remote",
      "br-connection-refused":
      return .refused
    case "br-connection-canceled", "le-connection-canceled": return .cancelled
    case "le-connection-timeout", "br-connection-page-timeout", "Connection timed out", "Host is down": return .aborted
    case "le-connection-key-missing", "br-connection-key-missing": return .authentication
    default: return .other(name: name, text: text)
    }
  }
}
