internal import DBus

/// Why BlueZ did not do what was asked of a characteristic or of discovery.
enum Refusal: Error, Hashable, Sendable {
  /// Somebody, perhaps ourselves, is at it already.
  case inProgress
  case notPermitted
  /// The characteristic, or this BlueZ, does not know how.
  case notSupported
  case accessDenied
  /// The object, bluetoothd or the bus is gone.
  case gone
  case other(name: String)

  /// Source: BlueZ `src/error.c`.
  init(_ error: DBusError) {
    guard let name = error.name else {
      self = .gone
      return
    }
    self =
      switch name {
      case "org.bluez.Error.InProgress": .inProgress
      case "org.bluez.Error.NotPermitted": .notPermitted
      case "org.bluez.Error.NotSupported", "org.freedesktop.DBus.Error.UnknownMethod": .notSupported
      case "org.freedesktop.DBus.Error.AccessDenied": .accessDenied
      case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.NoReply",
        "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
        .gone
      default: .other(name: name)
      }
  }

  /// The D-Bus name of the error, for a person.
  var name: String {
    switch self {
    case .inProgress: "org.bluez.Error.InProgress"
    case .notPermitted: "org.bluez.Error.NotPermitted"
    case .notSupported: "org.bluez.Error.NotSupported"
    case .accessDenied: "org.freedesktop.DBus.Error.AccessDenied"
    case .gone: "org.freedesktop.DBus.Error.UnknownObject"
    case .other(let name): name
    }
  }
}
