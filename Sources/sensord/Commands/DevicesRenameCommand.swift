internal import Documents
internal import SeriesStore
internal import ArgumentParser
internal import StoreCommands

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
