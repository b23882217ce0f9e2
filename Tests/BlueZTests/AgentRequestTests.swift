import DBus
import Testing

@testable import BlueZ

/// The calls of `org.bluez.Agent1`, as BlueZ makes them.
@Suite("AgentRequest")
struct AgentRequestTests {
  private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"

  private func request(_ member: String, _ body: [Value] = [], interface: String = "org.bluez.Agent1") -> AgentRequest?
  {
    AgentRequest(.call(":1.1", path: "/agent", interface: interface, member: member, body: body))
  }

  @Test("every question is read, with the device that it is about")
  func questions() {
    let device = Value.objectPath(Self.device)
    #expect(request("RequestPinCode", [device]) == .pinCode(Self.device))
    #expect(request("DisplayPinCode", [device, .string("0000")]) == .showPinCode(Self.device, "0000"))
    #expect(request("RequestPasskey", [device]) == .passkey(Self.device))
    #expect(
      request("DisplayPasskey", [device, .uint32(7), .uint16(2)]) == .showPasskey(Self.device, 7, entered: 2))
    #expect(request("RequestConfirmation", [device, .uint32(999_999)]) == .confirmation(Self.device, 999_999))
    #expect(request("RequestAuthorization", [device]) == .authorization(Self.device))
    #expect(request("AuthorizeService", [device, .string("180d")]) == .service(Self.device))
    #expect(request("Cancel") == .cancel)
    #expect(request("Release") == .release)
    #expect(request("RequestPasskey", [device])?.device == Self.device)
    #expect(request("Cancel")?.device == nil)
  }

  @Test("what has other arguments, another name or another interface is none")
  func nonsense() {
    let device = Value.objectPath(Self.device)
    #expect(request("RequestPasskey") == nil)
    #expect(request("RequestConfirmation", [device]) == nil)
    #expect(request("DisplayPasskey", [device, .string("7"), .uint16(0)]) == nil)
    #expect(request("DisplayPinCode", [device, .uint32(1)]) == nil)
    #expect(request("Nonsense", [device]) == nil)
    #expect(request("RequestPasskey", [device], interface: "org.example") == nil)
  }

  @Test(
    "BlueZ's errors of Pair are told apart",
    arguments: [
      ("org.bluez.Error.AlreadyExists", PairingFailure.alreadyPaired),
      ("org.bluez.Error.AuthenticationRejected", .rejected),
      ("org.bluez.Error.AuthenticationFailed", .authenticationFailed),
      ("org.bluez.Error.AuthenticationCanceled", .cancelled), ("org.bluez.Error.AuthenticationTimeout", .timedOut),
      ("org.bluez.Error.ConnectionAttemptFailed", .unreachable), ("org.bluez.Error.InProgress", .inProgress),
      ("org.freedesktop.DBus.Error.AccessDenied", .accessDenied),
      ("org.freedesktop.DBus.Error.UnknownObject", .unknownDevice),
      ("org.bluez.Error.Failed", .other(name: "org.bluez.Error.Failed", text: "why")),
    ])
  func failures(name: String, failure: PairingFailure) {
    #expect(PairingFailure(DBusError(.remote(name: name), "why")) == failure)
  }
}
