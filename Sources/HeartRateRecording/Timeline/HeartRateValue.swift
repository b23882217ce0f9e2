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
