internal import ArgumentParser
internal import BlueZ
internal import DBus
internal import Documents
internal import Glibc
internal import Reports
internal import SeriesStore
import Support

/// `sensord devices pair ADDRESS`: keys for a sensor that gives its values over an encrypted link only.
struct DevicesPairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "Pair a sensor that demands it.",
    discussion: """
      Most sensors need no pairing. Some give their values only to a paired
      computer, or hide behind changing addresses from all others: 'sensord status'
      says so. Where the sensor shows a number, it is asked for here; where it has a
      mode for pairing, set it into that mode first. A recorder may be running. One
      that hides tells its lasting address with the keys: if it is recorded already,
      that address takes the place of the one that it was added with.

        sensord devices pair C0:FF:EE:00:00:01
      """)

  @Argument(help: "The sensor's Bluetooth address, such as C0:FF:EE:00:00:01.")
  var address: String

  @OptionGroup var bus: BusOptions

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the outcome as JSON.")
  var json = false

  /// The length of the scan for the sensor.
  private static let search = Duration.seconds(20)

  /// The outcome of a pairing.
  struct Outcome: Hashable, Sendable {
    /// The identity address that the sensor sent (Core Specification 5.3, volume 3, part H, 3.6.5), else the address that it was
    /// paired as.
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
    try report(outcome, pairedAs: address)
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
    // BlueZ does not change the object's path, and reports the address that came with the keys before it answers.
    let paired = try await visit.client().devices.first { $0.path == device.path }
    return Outcome(address: paired?.address ?? address, name: device.name, isNew: true)
  }

  private func report(_ outcome: Outcome, pairedAs former: DeviceAddress) throws {
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
    let listed = try listed(outcome.address, insteadOf: former)
    if listed.contains(outcome.address) {
      guard outcome.address != former else { return }
      StandardError.write("It is recorded under this lasting address, not as \(former).\n")
    } else if listed.contains(former) {
      let remedy = "sensord devices replace \(former) \(outcome.address)"
      StandardError.write("It is in the list as \(former) still: \(remedy)\n")
    } else {
      StandardError.write("It is not recorded yet: sensord devices add \(outcome.address)\n")
    }
  }

  /// The sensors in the list, after the lasting address has replaced the one that the sensor was paired as: the keys prove that
  /// both are one sensor. A store that cannot be used is no reason to fail after all was done.
  private func listed(_ address: DeviceAddress, insteadOf former: DeviceAddress) throws -> [DeviceAddress] {
    guard let reader = try? store.openToRead() else { return [] }
    return try CommandLoop.run {
      let addresses: (HealthStore) async -> [DeviceAddress] = { store in
        ((try? await store.allowedSensors()) ?? []).compactMap { DeviceAddress($0.address) }
      }
      let before = await addresses(reader)
      await reader.close()
      guard address != former, before.contains(former), let writer = try? store.openToWrite(making: false) else {
        return before
      }
      // A failure to find the sensor is ignored: a recorder has received the new address, too, and was faster.
      _ = try? await writer.replaceSensor(former.description, by: address.description)
      let after = await addresses(writer)
      await writer.close()
      return after
    }
  }
}
