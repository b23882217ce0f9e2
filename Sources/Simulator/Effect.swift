/// Identifies a method call from its arrival to its answer.
struct CallToken: Hashable, Sendable {
  let number: UInt64
}

/// Identifies a socket pair created by AcquireNotify.
struct PipeToken: Hashable, Sendable {
  let number: UInt64
}

/// A method call that reached `org.bluez`.
struct Call: Hashable, Sendable {
  let token: CallToken
  /// The caller's unique bus name.
  let sender: String
  let path: String
  let interface: String
  let member: String
  /// The signature of the arguments on the bus, which the refusal of an unknown method quotes.
  var signature = ""
  var arguments: [Property] = []
}

/// An error reply: its D-Bus name and the text that bluetoothd gives.
struct BusError: Hashable, Sendable {
  let name: String
  let text: String
}

/// An action of the driver on the bus.
enum LinkEffect: Equatable, Sendable {
  /// Answer a call.
  case reply(CallToken, [Property])
  /// Answer a call with an error.
  case failure(CallToken, BusError)
  /// Make a socket pair, answer AcquireNotify with one end and this MTU, and keep the other under the token.
  case acquired(CallToken, PipeToken, mtu: UInt16)
  /// `ObjectManager.InterfacesAdded`
  case interfacesAdded(path: String, Interfaces)
  /// `ObjectManager.InterfacesRemoved`
  case interfacesRemoved(path: String, [String])
  /// `Properties.PropertiesChanged`
  case propertiesChanged(path: String, interface: String, Properties, invalidated: [String])
  /// Any other signal.
  case signal(path: String, interface: String, member: String, [Property])
  /// Send one packet, possibly empty, on an acquired pair.
  case packet(PipeToken, [UInt8])
  /// Close our end of an acquired pair: the client reads to the end and sees the hang-up.
  case close(PipeToken)
  /// Call a method of a client's pairing agent, and report the answer as `Input.agentAnswered`.
  case askAgent(sender: String, path: String, member: String, [Property], question: UInt64)
  /// Leave the bus: bluetoothd is gone, pending calls are never answered.
  case leaveBus
  /// Join the bus (again) and own the name.
  case joinBus
  /// One line of ground truth.
  case log(LogEntry)
}

/// An input of the simulated host.
enum Input: Sendable {
  /// Only time passes.
  case time
  /// A client calls a method.
  case call(Call)
  /// A client left the bus.
  case clientLeft(String)
  /// A client closed its end of an acquired pair.
  case pipeClosed(PipeToken)
  /// A pairing agent answered; nil if it refused.
  case agentAnswered(question: UInt64, [Property]?)
  /// A live scenario item, for its `strap` or else the first one.
  case item(ScenarioItem)
}

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
