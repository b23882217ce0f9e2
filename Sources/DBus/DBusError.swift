/// Why an operation on the bus failed.
///
/// Never holds the values of a message: they may be health data.
public struct DBusError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: Hashable, Sendable {
    /// The bus is gone, or the connection was closed. Every pending call ends with this; open a new connection.
    case disconnected
    /// No reply came in the time allowed. The callee may still act on the call.
    case timedOut
    /// The task that waited was cancelled. The callee may still act on the call.
    case cancelled
    /// The other side answered with an error of this name, `org.bluez.Error.InProgress` for example.
    case remote(name: String)
    /// The bus could not be reached; the name is libdbus's, `org.freedesktop.DBus.Error.FileNotFound` for example.
    case cannotConnect(name: String)
    /// A value, path, name or signature that D-Bus does not allow, found before anything was sent.
    case invalid
    /// More than 32 arrays or 32 structs in a signature, or more than 64 containers around one value.
    case nestedTooDeeply
    /// A message, an array or the number of passed descriptors is over the limit.
    case tooLarge
    /// The transport cannot do this: pass descriptors over TCP, for example.
    case unsupported
    /// A system call failed with this `errno`.
    case system(errno: Int32)
  }

  public var code: Code
  /// A text for a person, in English; it is from the other side when `code` is ``Code/remote(name:)``.
  public var message: String

  /// Whether the bus itself answered with this error, and not whom it was asked to call.
  public var isFromBus = false

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The D-Bus name of the error where the bus, its library or the callee gave one.
  public var name: String? {
    switch code {
    case .remote(let name), .cannotConnect(let name): name
    default: nil
    }
  }

  /// Whether the bus's policy, or the callee, refused permission.
  public var isAccessDenied: Bool { name == "org.freedesktop.DBus.Error.AccessDenied" }

  public var description: String {
    if let name { return "\(name): \(message)" }
    return message
  }
}
