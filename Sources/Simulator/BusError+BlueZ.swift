extension BusError {
  /// `org.bluez.Error.Failed` with this text.
  static func failed(_ text: String) -> BusError { BusError(name: "org.bluez.Error.Failed", text: text) }

  /// `org.bluez.Error.NotPermitted` with this text.
  static func notPermitted(_ text: String) -> BusError { BusError(name: "org.bluez.Error.NotPermitted", text: text) }

  static let notConnected = BusError(name: "org.bluez.Error.NotConnected", text: "Not Connected")
  static let inProgress = BusError(name: "org.bluez.Error.InProgress", text: "In Progress")
  static let busy = BusError(name: "org.bluez.Error.InProgress", text: "Operation already in progress")
  static let notReady = BusError(name: "org.bluez.Error.NotReady", text: "Resource Not Ready")
  static let notSupported = BusError(name: "org.bluez.Error.NotSupported", text: "Operation is not supported")
  static let invalidArguments = BusError(
    name: "org.bluez.Error.InvalidArguments", text: "Invalid arguments in method call")
  static let doesNotExist = BusError(name: "org.bluez.Error.DoesNotExist", text: "Does Not Exist")
  static let alreadyExists = BusError(name: "org.bluez.Error.AlreadyExists", text: "Already Exists")
  static let authenticationFailed = BusError(
    name: "org.bluez.Error.AuthenticationFailed", text: "Authentication Failed")
  static let authenticationRejected = BusError(
    name: "org.bluez.Error.AuthenticationRejected", text: "Authentication Rejected")
  static let authenticationCanceled = BusError(
    name: "org.bluez.Error.AuthenticationCanceled", text: "Authentication Canceled")

  /// The error for a link that was not made, or lost at once.
  static let aborted = failed("le-connection-abort-by-local")
  /// The error of a Connect that a Disconnect ended.
  static let canceled = failed("br-connection-canceled")

  /// libdbus's answer for a method that does not exist. Unknown and known objects differ by the error's name only.
  static func unknown(_ call: Call, objectExists: Bool) -> BusError {
    BusError(
      name: "org.freedesktop.DBus.Error." + (objectExists ? "UnknownMethod" : "UnknownObject"),
      text:
        "Method \"\(call.member)\" with signature \"\(call.signature)\" on interface \"\(call.interface)\" doesn't exist\n"
    )
  }

  /// The answer of GLib's properties interface to an unknown name and to arguments of the wrong type.
  static func invalidArgs(_ text: String) -> BusError {
    BusError(name: "org.freedesktop.DBus.Error.InvalidArgs", text: text)
  }
}
