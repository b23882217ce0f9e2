internal import DBus

/// What BlueZ asks of a pairing agent: one call of `org.bluez.Agent1`, read. Pure.
///
/// Source: BlueZ `doc/agent-api.txt`.
enum AgentRequest: Hashable, Sendable {
  /// The agent is not registered any more.
  case release
  /// The question that was asked last is void.
  case cancel
  case pinCode(ObjectPath)
  case showPinCode(ObjectPath, String)
  case passkey(ObjectPath)
  /// Told again with every digit that is entered on the device.
  case showPasskey(ObjectPath, UInt32, entered: UInt16)
  case confirmation(ObjectPath, UInt32)
  /// A pairing in which nothing is compared or entered.
  case authorization(ObjectPath)
  case service(ObjectPath)

  /// Nil where `call` is none of them, or has other arguments.
  init?(_ call: Message) {
    guard call.interface == "org.bluez.Agent1" || call.interface == nil, let member = call.member else { return nil }
    let body = call.body
    switch (member, body.first?.objectPath) {
    case ("Release", _): self = .release
    case ("Cancel", _): self = .cancel
    case ("RequestPinCode", let device?): self = .pinCode(device)
    case ("RequestPasskey", let device?): self = .passkey(device)
    case ("RequestAuthorization", let device?): self = .authorization(device)
    case ("AuthorizeService", let device?): self = .service(device)
    case ("DisplayPinCode", let device?):
      guard body.count == 2, let code = body[1].string else { return nil }
      self = .showPinCode(device, code)
    case ("DisplayPasskey", let device?):
      guard body.count == 3, let passkey = body[1].uint32, let entered = body[2].uint16 else { return nil }
      self = .showPasskey(device, passkey, entered: entered)
    case ("RequestConfirmation", let device?):
      guard body.count == 2, let passkey = body[1].uint32 else { return nil }
      self = .confirmation(device, passkey)
    default: return nil
    }
  }

  /// The device that it is about.
  var device: ObjectPath? {
    switch self {
    case .release, .cancel: nil
    case .pinCode(let device), .passkey(let device), .authorization(let device), .service(let device),
      .showPinCode(let device, _), .showPasskey(let device, _, _), .confirmation(let device, _):
      device
    }
  }
}
