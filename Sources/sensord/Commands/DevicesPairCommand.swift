internal import Documents
internal import ArgumentParser
internal import BlueZ
internal import DBus
internal import Glibc
internal import SeriesStore
internal import StoreCommands

/// `sensord devices pair ADDRESS`: keys for a sensor that gives its values over an encrypted link only.
struct DevicesPairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "Pair a sensor that demands it.",
    discussion: """
      Most sensors need no pairing. Some give their values only to a paired
      computer, or hide behind changing addresses from all others: 'sensord status'
      says so. Where the sensor shows a number, it is asked for here; where it has a
      mode for pairing, set it into that mode first. A recorder may be running.

        sensord devices pair C0:FF:EE:00:00:01
      """)

  @Argument(help: "The sensor's Bluetooth address, such as C0:FF:EE:00:00:01.")
  var address: String

  @OptionGroup var bus: BusOptions

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the outcome as JSON.")
  var json = false

  /// How long the sensor is listened for.
  private static let search = Duration.seconds(20)

  /// What became of it.
  struct Outcome: Hashable, Sendable {
    var address: DeviceAddress
    var name: String?
    var isNew: Bool
  }

  mutating func run() throws {
    let address = try DeviceAddressArgument.address(address)
    let bus = bus.address
    let outcome = try CommandLoop.runInterruptibly { loop in
      try await BluetoothVisit.run(bus, on: loop) { visit in
        try await Self.pair(address, visit)
      }
    }
    try report(outcome)
  }

  @concurrent private static func pair(_ address: DeviceAddress, _ visit: BluetoothVisit) async throws -> Outcome {
    let device = try await visit.find(address, within: search)
    guard !device.isPaired else { return Outcome(address: address, name: device.name, isNew: false) }
    try await visit.link(device)
    let dialogue = PairingDialogue(device: device.name ?? address.description, on: visit.loop)
    Progress.show("pairing \(address)")
    defer { Progress.clear() }
    do {
      try await visit.client().pair(address, on: device.path.adapter) { await dialogue.answer($0) }
    } catch PairingFailure.alreadyPaired {
      return Outcome(address: address, name: device.name, isNew: false)
    } catch let failure as PairingFailure {
      throw BluetoothFailure.pairing(address, failure)
    }
    return Outcome(address: address, name: device.name, isNew: true)
  }

  private func report(_ outcome: Outcome) throws {
    if json {
      let document: JSONValue = [
        "address": .string(outcome.address.description), "name": .string(outcome.name), "paired": .bool(true),
        "new": .bool(outcome.isNew),
      ]
      return try StandardOutput.write(document.text + "\n")
    }
    let title = outcome.name.map { "\(PrintableText.line($0, columns: 40)) (\(outcome.address))" }
    let text = outcome.isNew ? "is paired" : "is paired already"
    try StandardOutput.write("\(title ?? outcome.address.description) \(text).\n")
    if try !isAllowed(outcome.address) {
      StandardError.write("It is not recorded yet: sensord devices add \(outcome.address)\n")
    }
  }

  /// Whether it is recorded already; a store that cannot be read is no reason to fail after all was done.
  private func isAllowed(_ address: DeviceAddress) throws -> Bool {
    guard let store = try? store.openToRead() else { return false }
    return try CommandLoop.run {
      let sensors = (try? await store.allowedSensors()) ?? []
      await store.close()
      return sensors.contains { $0.address == address.description }
    }
  }
}
