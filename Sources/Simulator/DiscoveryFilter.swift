/// What a client wants to be told while it discovers.
struct DiscoveryFilter: Hashable, Sendable {
  /// Full UUIDs; empty means any.
  var uuids: Set<String> = []
  var minimumRSSI: Int16?
  var pathloss: UInt16?
  var reportsDuplicates = false
  /// The beginning of a name or address.
  var pattern: String?
}

extension DiscoveryFilter {
  /// Decodes the argument of SetDiscoveryFilter; nil where BlueZ of this release rejects it.
  init?(_ options: Properties, release: BlueZRelease) {
    self.init()
    for (name, value) in options {
      guard release.discoveryFilters.contains(name) else { return nil }
      switch (name, value) {
      case ("UUIDs", .strings(let uuids)):
        for uuid in uuids {
          guard let full = Self.full(uuid) else { return nil }
          self.uuids.insert(full)
        }
      case ("RSSI", .int16(let rssi)): minimumRSSI = rssi
      case ("Pathloss", .uint16(let loss)): pathloss = loss
      case ("Transport", .string(let transport)):
        guard ["auto", "bredr", "le"].contains(transport) else { return nil }
      case ("DuplicateData", .bool(let duplicates)): reportsDuplicates = duplicates
      case ("Discoverable", .bool), ("AutoConnect", .bool): break
      case ("Pattern", .string(let pattern)): self.pattern = pattern
      default: return nil
      }
    }
    if minimumRSSI != nil, pathloss != nil { return nil }
  }

  /// The full form of a 16, 32 or 128 bit UUID; nil for anything else.
  private static func full(_ text: String) -> String? {
    let text = text.lowercased()
    let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
    let isHex = digits.utf8.allSatisfy {
      ("0"..."9").contains(Character(UnicodeScalar($0))) || ("a"..."f").contains(Character(UnicodeScalar($0)))
    }
    switch digits.utf8.count {
    case 4 where isHex: return "0000\(digits)-0000-1000-8000-00805f9b34fb"
    case 8 where isHex: return "\(digits)-0000-1000-8000-00805f9b34fb"
    case 36:
      let groups = digits.split(separator: "-", omittingEmptySubsequences: false)
      guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
        groups.joined().utf8.allSatisfy({ UInt8(String(UnicodeScalar($0)), radix: 16) != nil })
      else { return nil }
      return digits
    default: return nil
    }
  }

  /// Whether the filter lets a strap through.
  func wants(_ strap: Strap, device: Device?) -> Bool {
    if let minimumRSSI, strap.rssi < minimumRSSI { return false }
    if let pattern, !strap.profile.name.hasPrefix(pattern), !strap.address.hasPrefix(pattern) { return false }
    guard !uuids.isEmpty else { return true }
    return strap.profile.advertisedServices.contains { uuids.contains(GATTLayout.uuid($0)) }
  }
}
