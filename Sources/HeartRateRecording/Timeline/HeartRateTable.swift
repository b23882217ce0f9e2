import GATTHeartRate

/// The rates of a session in order of arrival, times never decreasing; equal neighbours are all kept.
public struct HeartRateTable: Hashable, Sendable, RandomAccessCollection {
  /// A value without its energy: most come without.
  private struct Entry: Hashable {
    var wallMicroseconds: Int64
    var beatsPerMinute: UInt16
    var contact: HeartRateMeasurement.Contact
  }

  private var entries: [Entry] = []
  /// Which values have an energy.
  private var energyPositions: [Int] = []
  /// The energies of the values that have one, in order, in kilojoules since the sensor's last reset.
  public private(set) var energies: [UInt16] = []
  /// How many of the values say that the sensor is off the skin.
  public private(set) var offSkinCount = 0
  /// Whether any of the values says whether the sensor touches the skin.
  public private(set) var tellsContact = false

  init() {}

  public var startIndex: Int { 0 }
  public var endIndex: Int { entries.count }

  public subscript(position: Int) -> HeartRateValue {
    value(entries[position], energyKilojoules: energyKilojoules(at: position))
  }

  /// A value whose energy nobody asks for: where it stands has to be looked up.
  func withoutEnergy(at position: Int) -> HeartRateValue {
    value(entries[position], energyKilojoules: nil)
  }

  /// Calls `body` with each value in order: the quickest way through all of them.
  public func forEach(_ body: (HeartRateValue) -> Void) {
    var next = 0
    for position in entries.indices {
      var energy: UInt16?
      if next < energyPositions.count, energyPositions[next] == position {
        energy = energies[next]
        next += 1
      }
      body(value(entries[position], energyKilojoules: energy))
    }
  }

  private func value(_ entry: Entry, energyKilojoules: UInt16?) -> HeartRateValue {
    HeartRateValue(
      wallMicroseconds: entry.wallMicroseconds, beatsPerMinute: entry.beatsPerMinute, contact: entry.contact,
      energyKilojoules: energyKilojoules)
  }

  private func energyKilojoules(at position: Int) -> UInt16? {
    var low = 0
    var high = energyPositions.count
    while low < high {
      let middle = (low + high) / 2
      if energyPositions[middle] < position { low = middle + 1 } else { high = middle }
    }
    guard low < energyPositions.count, energyPositions[low] == position else { return nil }
    return energies[low]
  }

  mutating func reserveCapacity(_ count: Int) {
    entries.reserveCapacity(count)
  }

  mutating func append(_ header: HeartRateMeasurement.Header, at microseconds: Int64) {
    if let energy = header.energyKilojoules {
      energyPositions.append(entries.count)
      energies.append(energy)
    }
    switch header.contact {
    case .notSupported: break
    case .notDetected:
      tellsContact = true
      offSkinCount += 1
    case .detected: tellsContact = true
    }
    entries.append(
      Entry(wallMicroseconds: microseconds, beatsPerMinute: header.beatsPerMinute, contact: header.contact))
  }

  /// Moves the values in `positions` by `microseconds`: from boot time to wall time.
  mutating func shift(_ positions: Range<Int>, by microseconds: Int64) {
    guard microseconds != 0 else { return }
    var entries = entries.mutableSpan
    for position in positions { entries[position].wallMicroseconds &+= microseconds }
  }
}
