internal import ArgumentParser
internal import DBus

/// `--bus system|session|ADDRESS`.
struct BusOptions: ParsableArguments {
  @Option(
    name: .customLong("bus"),
    help: ArgumentHelp("The message bus that bluetoothd is on: system, session or an address.", valueName: "bus"))
  var name = "system"

  /// The bus to use.
  var address: BusAddress { BusAddress(name) }

  mutating func validate() throws {
    if case .address(let text) = address, !text.contains(":") {
      throw ValidationError("the bus is system, session or an address such as unix:path=/run/bus, not '\(name)'")
    }
  }
}
