internal import ArgumentParser
internal import BlueZ
internal import DBus
internal import GATTHeartRate
internal import StoreCommands

/// `sensord reset-energy ADDRESS`: sets the sensor's energy expended back to zero.
struct ResetEnergyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-energy", abstract: "Set a sensor's energy expended back to zero.",
    discussion: """
      Writes to the sensor's control point over the link that the recorder has; the
      recording goes on. Sensors that do not count energy have no control point.

        sensord reset-energy C0:FF:EE:00:00:01
      """)

  @Argument(help: "The sensor's Bluetooth address, such as C0:FF:EE:00:00:01.")
  var address: String

  @OptionGroup var bus: BusOptions

  mutating func run() throws {
    let address = try DeviceAddressArgument.address(address)
    let bus = bus.address
    try CommandLoop.runInterruptibly { loop in
      try await BluetoothVisit.run(bus, on: loop) { try await Self.reset(address, $0) }
    }
    try StandardOutput.write("\(address) counts its energy from zero now.\n")
  }

  @concurrent private static func reset(_ address: DeviceAddress, _ visit: BluetoothVisit) async throws {
    _ = try await visit.adapters()
    guard let device = try await visit.objects(of: address).first else {
      throw CommandFailure(
        .noInput, "bluetoothd knows no device \(address)", remedy: "'sensord status' and 'sensord scan' list addresses")
    }
    guard device.hasLink else {
      throw CommandFailure(
        .unavailable, "\(address) is not connected", remedy: "wear it while 'sensord run' records it, and try again")
    }
    if !device.servicesResolved {
      // A new link may not have its services yet.
      _ = await visit.wait(.seconds(10)) { $0 == .servicesResolved(address, device.path.adapter) }
    }
    do {
      try await visit.client().write(
        HeartRateControlPoint.resetEnergyExpended.encoded(), to: BluetoothUUID(AssignedUUID.heartRateControlPoint),
        of: address)
    } catch let error as DBusError {
      throw failure(error, address)
    }
  }

  private static func failure(_ error: DBusError, _ address: DeviceAddress) -> CommandFailure {
    let noControlPoint = CommandFailure(
      .unavailable, "\(address) has no control point", remedy: "it counts no energy, or resets it by itself only")
    if error.isAccessDenied { return BluetoothFailure.denied }
    // 0x80: Control Point Not Supported (Heart Rate Service 1.0, section 1.6).
    if error.code == .invalid || error.message.contains("0x80") { return noControlPoint }
    switch error.name {
    case "org.bluez.Error.NotSupported", "org.bluez.Error.NotPermitted": return noControlPoint
    case "org.bluez.Error.NotAuthorized":
      return CommandFailure(
        .unavailable, "\(address) resets its energy for a paired computer only",
        remedy: "pair it: sensord devices pair \(address)")
    default:
      return CommandFailure(
        .unavailable, "\(address) did not take the reset (\(error.message))", remedy: "try again while it is connected")
    }
  }
}
