internal import Documents
internal import BlueZ

extension HeardDevices {
  private static let table = TextTable([
    .init("Address"), .init("Name", shrinks: true), .init("Signal", .right), .init("Bat", .right), .init("Kind"),
    .init("Recorded"),
  ])

  /// The list for a person, with what is not in it counted.
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
