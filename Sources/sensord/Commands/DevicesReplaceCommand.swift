internal import ArgumentParser
internal import Documents
internal import SeriesStore
internal import StoreCommands

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
      // One that is not in the list any more may have recordings under its address.
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
