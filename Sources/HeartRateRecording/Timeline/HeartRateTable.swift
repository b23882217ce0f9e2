import GATTHeartRate

/// The rates of a session in order of arrival, times never decreasing; equal neighbours are all kept.
public struct HeartRateTable: Hashable, Sendable, RandomAccessCollection {
  private var wallMicroseconds: [Int64] = []
  private var beatsPerMinute: [UInt16] = []
  private var contacts: [HeartRateMeasurement.Contact] = []
  /// Most values come without energy: those that have it, by position.
  private var energyPositions: [Int] = []
  private var energies: [UInt16] = []

  init() {}

  public var startIndex: Int { 0 }
  public var endIndex: Int { beatsPerMinute.count }

  public subscript(position: Int) -> HeartRateValue {
    HeartRateValue(
      wallMicroseconds: wallMicroseconds[position], beatsPerMinute: beatsPerMinute[position],
      contact: contacts[position], energyKilojoules: energyKilojoules(at: position))
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
    wallMicroseconds.reserveCapacity(count)
    beatsPerMinute.reserveCapacity(count)
    contacts.reserveCapacity(count)
  }

  mutating func append(_ header: HeartRateMeasurement.Header, at microseconds: Int64) {
    if let energy = header.energyKilojoules {
      energyPositions.append(beatsPerMinute.count)
      energies.append(energy)
    }
    wallMicroseconds.append(microseconds)
    beatsPerMinute.append(header.beatsPerMinute)
    contacts.append(header.contact)
  }

  /// Moves the values in `positions` by `microseconds`: from boot time to wall time.
  mutating func shift(_ positions: Range<Int>, by microseconds: Int64) {
    for position in positions { wallMicroseconds[position] &+= microseconds }
  }
}
