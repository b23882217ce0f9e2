internal import Documents
internal import ArgumentParser
internal import BlueZ
internal import HealthModel
internal import Sensors
internal import SeriesStore
internal import StoreCommands

/// `sensord devices add ADDRESS [--name NAME]`.
struct DevicesAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Allow a sensor to be recorded.",
    discussion: """
      The address stands on the sensor, in its app, or in what 'sensord scan' lists.
      """)

  @Argument(help: "The sensor's Bluetooth address, such as C0:FF:EE:00:00:01.")
  var address: String

  @Option(help: "What to call it.")
  var name: String?

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the sensor as JSON.")
  var json = false

  mutating func run() throws {
    let address = try Self.address(address)
    let name = try name.map(SensorName.checked)
    let store = try store.openToWrite(making: true)
    let wanted = AllowedSensor(address: address, name: name, added: Timestamp(microseconds: LocalTime.now()))
    let (sensor, what) = try CommandLoop.run {
      let sensors = try await store.allowedSensors()
      let known = sensors.first { $0.address == address }
      // Adding again without a name keeps the one that is there.
      if let known, name == nil || name == known.name { return (known, "is in the list already") }
      guard known != nil || sensors.count < AllowList.capacity else {
        throw CommandFailure(
          .usage, "\(AllowList.capacity) sensors are the most that can be recorded", remedy: "remove one first")
      }
      _ = try await store.allow(wanted)
      return (
        try await store.allowedSensors().first { $0.address == address } ?? wanted,
        known == nil ? "will be recorded from now on" : "was in the list, and has this name now"
      )
    }
    if json { return try StandardOutput.write(sensor.json.text + "\n") }
    try StandardOutput.write("\(DeviceListing.title(sensor)) \(what).\n")
  }

  /// The address as the store writes it.
  static func address(_ text: String) throws(CommandFailure) -> String {
    try DeviceAddressArgument.address(text).description
  }
}
