import ArgumentParser
import BlueZ
import Documents
import HealthModel
import Ingestion
import Reports
import SeriesStore
import Support
import Timeline

/// `sensord devices`: the sensors that may be recorded.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List and change the sensors to record.",
    discussion: """
      Only sensors in this list are ever recorded. A running recorder notices
      changes within a second.

        sensord devices add C0:FF:EE:00:00:01 --name "Polar H10"
        sensord devices
      """,
    subcommands: [
      DevicesListCommand.self, DevicesAddCommand.self, DevicesRenameCommand.self, DevicesRemoveCommand.self,
      DevicesReplaceCommand.self, DevicesPairCommand.self,
    ],
    defaultSubcommand: DevicesListCommand.self)
}

/// `sensord devices list`.
struct DevicesListCommand: ListCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the sensors to record.")

  @OptionGroup var list: ListOptions

  func listing() throws -> Listing {
    Listing(
      try list.read { try await $0?.allowedSensors() ?? [] }, json: \.json,
      absence: "No sensors yet. Add one with 'sensord devices add ADDRESS --name NAME'.\n", rows: DeviceListing.table)
  }
}

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
      // The present name stays where the sensor is added again without one.
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

/// `sensord devices remove ADDRESS`.
struct DevicesRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Stop recording a sensor.",
    discussion: "Its sessions stay; 'sensord delete' removes those.")

  @Argument(help: "The sensor's address or name.")
  var sensor: String

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the sensor as JSON.")
  var json = false

  mutating func run() throws {
    let wanted = sensor
    let store = try store.openToWrite(making: false)
    let removed = try CommandLoop.run {
      let sensor = try await DeviceListing.sensor(wanted, in: store.allowedSensors())
      try await store.removeSensor(sensor.address)
      return sensor
    }
    if json { return try StandardOutput.write(removed.json.text + "\n") }
    try StandardOutput.write("\(DeviceListing.title(removed)) will not be recorded any more.\n")
  }
}

/// `sensord devices rename ADDRESS NAME`.
struct DevicesRenameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a sensor another name.",
    discussion: "Sessions that are stored keep the name that they were recorded under.")

  @Argument(help: "The sensor's address or its present name.")
  var sensor: String

  @Argument(help: "What to call it from now on.")
  var name: String

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the sensor as JSON.")
  var json = false

  mutating func run() throws {
    let name = try SensorName.checked(name)
    let wanted = sensor
    let store = try store.openToWrite(making: false)
    let renamed = try CommandLoop.run {
      var sensor = try await DeviceListing.sensor(wanted, in: store.allowedSensors())
      try await store.renameSensor(sensor.address, to: name)
      sensor.name = name
      return sensor
    }
    if json { return try StandardOutput.write(renamed.json.text + "\n") }
    try StandardOutput.write("\(renamed.address) is now called \(name).\n")
  }
}

/// `sensord devices replace OLD NEW`: a strap that has another address.
struct DevicesReplaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace", abstract: "Go on with a sensor under another address.",
    usage: "sensord devices replace <old> <new> [options]",
    discussion: """
      Some straps have another address after their battery was changed; 'sensord
      status' and 'sensord doctor' name one that may be it. The new address gets
      the name of the old one and takes its place in the list. What is stored stays
      as it is; who asks for the new address gets what was recorded under the old
      one, too. Never done without this command.

        sensord devices replace C0:FF:EE:00:00:01 C0:FF:EE:00:00:02
      """)

  @Argument(help: "The sensor's former address, or its name.")
  var old: String

  @Argument(help: "Its address now.")
  var new: String

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the sensor as JSON.")
  var json = false

  mutating func run() throws {
    let new = try DevicesAddCommand.address(new)
    let wanted = old
    let store = try store.openToWrite(making: false)
    let (former, sensor) = try CommandLoop.run {
      let sensors = try await store.allowedSensors()
      // A sensor that is not in the list any more may have recordings under its address.
      let isListed = sensors.contains { $0.address == wanted.uppercased() || $0.name == wanted }
      let old =
        if !isListed, let address = try? DevicesAddCommand.address(wanted) { address } else {
          try DeviceListing.sensor(wanted, in: sensors).address
        }
      guard old != new else { throw CommandFailure(.usage, "\(old) cannot take its own place") }
      return (old, try await store.replaceSensor(old, by: new))
    }
    if json { return try StandardOutput.write(sensor.json.text + "\n") }
    try StandardOutput.write("\(DeviceListing.title(sensor)) goes on where \(former) ended.\n")
  }
}

/// The list of sensors, as the commands of `sensord devices` show it.
enum DeviceListing {
  /// One row for each sensor.
  static func table(_ sensors: [AllowedSensor], columns: Int) -> String {
    var table = TextTable([.init("Address"), .init("Name", shrinks: true), .init("Added")])
    for sensor in sensors {
      table.add([sensor.address, sensor.name ?? "", LocalTime.minute(sensor.added.microseconds)])
    }
    return table.rendered(columns: columns)
  }

  /// `Polar H10 (C0:FF:EE:00:00:01)`, or the address alone.
  static func title(_ sensor: AllowedSensor) -> String {
    sensor.name.map { "\(PrintableText.line($0)) (\(sensor.address))" } ?? sensor.address
  }

  /// The sensor that a person means by `text`: its address, or its name where only one has it.
  static func sensor(_ text: String, in sensors: [AllowedSensor]) throws(CommandFailure) -> AllowedSensor {
    let matches = sensors.filter { $0.address == text.uppercased() || $0.name == text }
    if let address = matches.first(where: { $0.address == text.uppercased() }) { return address }
    guard let match = matches.first else {
      throw CommandFailure(.noInput, "no sensor \(text) in the list", remedy: "'sensord devices' shows it")
    }
    guard matches.count == 1 else {
      throw CommandFailure(.usage, "\(matches.count) sensors are named \(text)", remedy: "give the address")
    }
    return match
  }
}
