internal import Documents
internal import SeriesStore
internal import ArgumentParser
internal import StoreCommands

/// `sensord devices list`.
struct DevicesListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the sensors to record.")

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the list as JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let store = try store.openToRead()
    let sensors = try CommandLoop.run { try await store?.allowedSensors() ?? [] }
    if json {
      try StandardOutput.write(JSONValue.lines(sensors.map(\.json)))
    } else if sensors.isEmpty {
      StandardError.write("No sensors yet. Add one with 'sensord devices add ADDRESS --name NAME'.\n")
    } else {
      try StandardOutput.write(DeviceListing.table(sensors, columns: StandardOutput.columns))
    }
  }
}
