public import GATTHeartRate

/// One rate as the sensor sent it.
public struct HeartRateValue: Hashable, Sendable {
  /// When its notification arrived, in microseconds since 1970 (UTC).
  public var wallMicroseconds: Int64
  /// 1...65535; a rate of 0 is no heart rate and is not kept.
  public var beatsPerMinute: UInt16
  public var contact: HeartRateMeasurement.Contact
  /// Energy since the sensor's last reset, in kilojoules, where the same notification carried it.
  public var energyKilojoules: UInt16?

  public init(
    wallMicroseconds: Int64, beatsPerMinute: UInt16, contact: HeartRateMeasurement.Contact, energyKilojoules: UInt16?
  ) {
    self.wallMicroseconds = wallMicroseconds
    self.beatsPerMinute = beatsPerMinute
    self.contact = contact
    self.energyKilojoules = energyKilojoules
  }
}

/// The rates of a session in order of arrival, times never decreasing; equal neighbours are all kept.
public struct HeartRateTable: Hashable, Sendable, RandomAccessCollection {
  var wallMicroseconds: [Int64] = []
  var beatsPerMinute: [UInt16] = []
  /// Contact in bits 0 and 1, and whether there is energy in bit 2.
  var traits: [UInt8] = []
  /// One for each value with bit 2, in order.
  var energies: [UInt32: UInt16] = [:]

  public var startIndex: Int { 0 }
  public var endIndex: Int { beatsPerMinute.count }

  public subscript(position: Int) -> HeartRateValue {
    HeartRateValue(
      wallMicroseconds: wallMicroseconds[position], beatsPerMinute: beatsPerMinute[position],
      contact: .notSupported, energyKilojoules: energies[UInt32(position)])
  }
}
