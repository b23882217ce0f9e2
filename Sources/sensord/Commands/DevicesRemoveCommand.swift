internal import Documents
internal import SeriesStore
internal import ArgumentParser
internal import StoreCommands

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
