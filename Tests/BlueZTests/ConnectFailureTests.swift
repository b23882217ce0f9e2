import DBus
import Testing

@testable import BlueZ

@Suite("ConnectFailure")
struct ConnectFailureTests {
  @Test(
    "the errors of Connect that were seen are told apart",
    arguments: [
      ("org.bluez.Error.Failed", "Operation already in progress", ConnectFailure.inProgress),
      ("org.bluez.Error.InProgress", "In Progress", .inProgress),
      ("org.bluez.Error.Failed", "le-connection-abort-by-local", .aborted),
      ("org.bluez.Error.Failed", "br-connection-canceled", .cancelled),
      ("org.bluez.Error.Failed", "Input/output error", .adapterOff),
      ("org.bluez.Error.NotReady", "Resource Not Ready", .adapterOff),
      ("org.freedesktop.DBus.Error.UnknownObject", "Method \"Connect\"…", .unknownDevice),
      ("org.bluez.Error.AuthenticationFailed", "Authentication Failed", .authentication),
      ("org.freedesktop.DBus.Error.AccessDenied", "Rejected send message", .accessDenied),
      ("org.freedesktop.DBus.Error.NoReply", "Message recipient disconnected", .serviceGone),
      ("org.bluez.Error.Failed", "new words", .other(name: "org.bluez.Error.Failed", text: "new words")),
    ])
  func classified(name: String, text: String, failure: ConnectFailure) {
    #expect(ConnectFailure(DBusError(.remote(name: name), text)) == failure)
  }

  @Test("the loss of the bus is no fault of the device")
  func busLost() {
    #expect(ConnectFailure(DBusError(.disconnected, "")) == .busLost)
  }
}
