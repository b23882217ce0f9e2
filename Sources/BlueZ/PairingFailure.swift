internal import DBus

/// Why a device was not paired. Nothing has changed then.
public enum PairingFailure: Error, Hashable, Sendable {
  /// Keys for it are kept already.
  case alreadyPaired
  /// BlueZ does not know the device, or forgot it in this moment.
  case unknownDevice
  /// The device, or whoever answered its question here, refused.
  case rejected
  /// The two did not come to an agreement: a wrong passkey, or a device that pairs only in a mode of its own.
  case authenticationFailed
  /// It was ended by somebody before it came to an end.
  case cancelled
  /// Nobody answered in time, neither the device nor a person.
  case timedOut
  /// No link to the device could be made.
  case unreachable
  /// Another program is pairing it.
  case inProgress
  /// The bus's policy forbids it.
  case accessDenied
  /// bluetoothd or the bus ended.
  case serviceGone
  /// Another error of BlueZ: its D-Bus name and text.
  case other(name: String, text: String)

  /// Source: BlueZ `src/device.c` and `src/error.c`.
  init(_ error: DBusError) {
    guard let name = error.name else {
      self = error.code == .timedOut ? .timedOut : .serviceGone
      return
    }
    self =
      switch name {
      case "org.bluez.Error.AlreadyExists": .alreadyPaired
      case "org.freedesktop.DBus.Error.UnknownObject", "org.bluez.Error.DoesNotExist": .unknownDevice
      case "org.bluez.Error.AuthenticationRejected", "org.bluez.Error.Rejected": .rejected
      case "org.bluez.Error.AuthenticationFailed": .authenticationFailed
      case "org.bluez.Error.AuthenticationCanceled", "org.bluez.Error.Canceled": .cancelled
      case "org.bluez.Error.AuthenticationTimeout": .timedOut
      case "org.bluez.Error.ConnectionAttemptFailed", "org.bluez.Error.NotConnected": .unreachable
      case "org.bluez.Error.InProgress": .inProgress
      case "org.freedesktop.DBus.Error.AccessDenied": .accessDenied
      case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.ServiceUnknown",
        "org.freedesktop.DBus.Error.NameHasNoOwner":
        .serviceGone
      default: .other(name: name, text: error.message)
      }
  }
}
