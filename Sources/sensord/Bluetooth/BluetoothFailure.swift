internal import BlueZ
internal import DBus
internal import StoreCommands

/// The failures that keep a command from the radio, each in one line with cause and remedy.
enum BluetoothFailure {
  static let noService = CommandFailure(
    .unavailable, "bluetoothd is not running", remedy: "start it with: systemctl start bluetooth")
  static let noAnswer = CommandFailure(
    .unavailable, "bluetoothd is running and does not answer",
    remedy: "restart it with: systemctl restart bluetooth")
  static let denied = CommandFailure(
    .permission, "the bus does not let you use bluetoothd",
    remedy: "sudo usermod -aG bluetooth $USER, then log in again")
  static let noAdapter = CommandFailure(.unavailable, "there is no Bluetooth adapter", remedy: "plug one in")
  static let adapterOff = CommandFailure(
    .unavailable, "the Bluetooth adapter is off", remedy: "switch it on with: bluetoothctl power on")

  /// The failure of a bus that does not answer, or refuses.
  static func bus(_ error: DBusError) -> CommandFailure {
    if error.isAccessDenied { return denied }
    return CommandFailure(
      .unavailable, "the message bus does not answer (\(error.message))", remedy: "'sensord doctor' looks further")
  }

  /// The failure of a scan that hears no device with this address.
  static func unheard(_ address: DeviceAddress) -> CommandFailure {
    CommandFailure(
      .noInput, "no device \(address) is in reach",
      remedy: "wear the sensor, and end its connection to a phone or a watch; 'sensord scan' lists who is heard")
  }

  /// The failure to connect a known device.
  static func unreachable(_ address: DeviceAddress, _ failure: ConnectFailure) -> CommandFailure {
    switch failure {
    case .adapterOff: adapterOff
    case .serviceGone, .busLost: noService
    case .accessDenied: denied
    case .inProgress:
      CommandFailure(.unavailable, "another program is connecting \(address)", remedy: "try again in a minute")
    case .authentication:
      CommandFailure(
        .unavailable, "\(address) refuses the keys that are kept for it",
        remedy: "forget them with: bluetoothctl remove \(address), then pair it again")
    case .unknownDevice, .aborted, .refused, .cancelled, .other:
      CommandFailure(
        .unavailable, "\(address) does not answer",
        remedy: "wear the sensor, and end its connection to a phone or a watch")
    }
  }

  /// The failure to pair a device.
  static func pairing(_ address: DeviceAddress, _ failure: PairingFailure) -> CommandFailure {
    switch failure {
    case .alreadyPaired:
      CommandFailure(.unavailable, "\(address) is paired already", remedy: "nothing is to be done")
    case .unknownDevice: unheard(address)
    case .rejected:
      CommandFailure(
        .unavailable, "pairing with \(address) was refused",
        remedy: "some sensors pair only in a mode of their own: see its manual, then try again")
    case .authenticationFailed:
      CommandFailure(
        .unavailable, "pairing with \(address) failed: the passkey was wrong, or one of the two refused",
        remedy: "set the sensor into its pairing mode, where it has one, and try again")
    case .cancelled:
      CommandFailure(.unavailable, "pairing with \(address) was interrupted", remedy: "nothing has changed")
    case .timedOut:
      CommandFailure(
        .unavailable, "pairing with \(address) was not answered in time", remedy: "keep the sensor near and try again")
    case .unreachable: unreachable(address, .aborted)
    case .inProgress:
      CommandFailure(.unavailable, "another program is pairing \(address)", remedy: "try again in a minute")
    case .accessDenied: denied
    case .serviceGone: noService
    case .other(_, let text):
      CommandFailure(
        .unavailable, "bluetoothd could not pair \(address) (\(text))",
        remedy: "its log tells more: journalctl -u bluetooth")
    }
  }
}
