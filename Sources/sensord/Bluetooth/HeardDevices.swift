import BlueZ
import Documents
import GATTHeartRate
import Support

/// The devices that were heard during a scan, as `sensord scan` lists them. Pure.
struct HeardDevices: Hashable {
  /// One device, over whichever adapter hears it best.
  struct Device: Hashable {
    /// The kinds of devices, as far as advertisements show them.
    enum Kind: String, Hashable, Comparable {
      /// A device that offers the Heart Rate Service (180D).
      case heartRate
      /// A game controller or the like (1812) that offers the same service; the controller's driver connects it.
      case controller
      /// A device that advertises only a name, as some straps do.
      case nameOnly
      case other

      static func < (first: Kind, second: Kind) -> Bool { first.rank < second.rank }

      private var rank: Int {
        switch self {
        case .heartRate: 0
        case .controller: 1
        case .nameOnly: 2
        case .other: 3
        }
      }
    }

    var address: DeviceAddress
    /// The name that the device advertises: untrusted text.
    var name: String?
    /// The signal strength in dBm; nil for a connected device, which is not heard.
    var signal: Int16?
    /// The battery level in percent, as a connected device reports it.
    var battery: UInt8?
    var kind: Kind
    var isConnected: Bool
    var isPaired: Bool
    /// Whether the device is in the list of sensors to record, and the owner's name for it there.
    var isKnown: Bool
    var knownName: String?
  }

  private var devices: [DeviceAddress: Device] = [:]
  /// The sensors to record, with their owner's names.
  private let known: [DeviceAddress: String?]

  init(known: [DeviceAddress: String?]) {
    self.known = known
  }

  /// Records what BlueZ reports of a device; `isHeard` where this is an advertisement.
  mutating func record(_ report: BlueZ.Device, isHeard: Bool) {
    let address = report.address
    guard isHeard || devices[address] != nil || report.hasLink || known[address] != nil else { return }
    let earlier = devices[address]
    devices[address] = Device(
      address: address, name: report.name ?? earlier?.name,
      signal: report.hasLink ? nil : (isHeard ? report.rssi : nil) ?? earlier?.signal, battery: report.battery,
      kind: Self.kind(report), isConnected: report.hasLink, isPaired: report.isPaired, isKnown: known[address] != nil,
      knownName: known[address] ?? nil)
  }

  private static func kind(_ device: BlueZ.Device) -> Device.Kind {
    guard device.services.contains(BluetoothUUID(AssignedUUID.heartRateService)) else {
      return device.services.isEmpty && device.name != nil ? .nameOnly : .other
    }
    return device.services.contains(BluetoothUUID(AssignedUUID.humanInterfaceDevice)) ? .controller : .heartRate
  }

  /// The devices that are worth listing: sensors and possible sensors, known ones first, then the nearest; with `all`, every
  /// device.
  func listed(all: Bool) -> [Device] {
    devices.values.filter { all || $0.isKnown || $0.kind != .other }.sorted { first, second in
      if first.isKnown != second.isKnown { return first.isKnown }
      if first.kind != second.kind { return first.kind < second.kind }
      let signals = (first.signal ?? 0, second.signal ?? 0)
      return signals.0 != signals.1 ? signals.0 > signals.1 : first.address < second.address
    }
  }

  /// The number of devices that are not worth listing.
  var otherCount: Int { devices.values.count { !$0.isKnown && $0.kind == .other } }
}

extension HeardDevices {
  private static let table = TextTable([
    .init("Address"), .init("Name", shrinks: true), .init("Signal", .right), .init("Bat", .right), .init("Kind"),
    .init("Recorded"),
  ])

  /// The list for a person, with the number of devices that are left out.
  func text(all: Bool, columns: Int) -> String {
    let listed = listed(all: all)
    var text = listed.isEmpty ? "No sensor heard yet.\n" : Self.table(listed).rendered(columns: columns)
    if !all, otherCount > 0 {
      text += "\(otherCount) other \(otherCount == 1 ? "device" : "devices") not listed (--all lists them)\n"
    }
    return text
  }

  /// One line of the same layout, for a reader that is no terminal.
  static func line(_ device: Device) -> String {
    cells(device).map { PrintableText.line($0, columns: 40) }.filter { !$0.isEmpty }.joined(separator: "  ") + "\n"
  }

  /// `{"address", "name", "signal", "battery", "kind", "connected", "paired", "recorded", "recordedAs"}`.
  static func json(_ device: Device) -> JSONValue {
    [
      "address": .string(device.address.description), "name": .string(device.name), "signal": .integer(device.signal),
      "battery": .integer(device.battery), "kind": .string(device.kind.rawValue),
      "connected": .bool(device.isConnected),
      "paired": .bool(device.isPaired), "recorded": .bool(device.isKnown), "recordedAs": .string(device.knownName),
    ]
  }

  private static func table(_ devices: [Device]) -> TextTable {
    var table = table
    for device in devices { table.add(cells(device)) }
    return table
  }

  private static func cells(_ device: Device) -> [String] {
    let kind =
      switch device.kind {
      case .heartRate: "heart rate"
      case .controller: "controller"
      case .nameOnly: "name only"
      case .other: "other"
      }
    return [
      device.address.description, device.knownName ?? device.name ?? "",
      device.isConnected ? "connected" : device.signal.map { "\($0) dBm" } ?? "",
      device.battery.map { "\($0)%" } ?? "", kind, device.isKnown ? "yes" : "no",
    ]
  }
}
