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

/// What the driver has to do on the bus, in order.
enum Effect: Equatable, Sendable {
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
