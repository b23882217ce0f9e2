/// Names one method call from its arrival to its answer.
struct CallToken: Hashable, Sendable {
  let number: UInt64
}

/// Names one socket pair handed out by AcquireNotify.
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
  /// The signature of the arguments as written on the bus: unknown methods are refused by quoting it.
  var signature = ""
  var arguments: [Property] = []
}

/// An error reply: its D-Bus name and the text that bluetoothd gives.
struct BusError: Hashable, Sendable {
  let name: String
  let text: String
}

/// What the driver has to do on the bus, in this order.
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
  /// Send one packet, perhaps of no bytes, on an acquired pair.
  case packet(PipeToken, [UInt8])
  /// Close our end of an acquired pair: the client reads to the end and sees the hang-up.
  case close(PipeToken)
  /// Call a method of a client's pairing agent, and report the answer as `Input.agentAnswered`.
  case askAgent(sender: String, path: String, member: String, [Property], question: UInt64)
  /// Leave the bus: bluetoothd is gone, whatever was pending is never answered.
  case leaveBus
  /// Come (back) to the bus and own the name.
  case joinBus
  /// One line of ground truth.
  case log(LogEntry)
}

/// What can happen to the machine from outside.
enum Input: Sendable {
  /// Nothing but time.
  case time
  /// A client calls.
  case call(Call)
  /// A client left the bus.
  case clientLeft(String)
  /// A client closed its end of an acquired pair.
  case pipeClosed(PipeToken)
  /// A pairing agent gave its answer; nil where it refused.
  case agentAnswered(question: UInt64, [Property]?)
  /// A scenario item that was not in the file; its `strap`, or the first one, is meant.
  case item(ScenarioItem)
}
