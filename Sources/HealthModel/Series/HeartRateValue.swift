/// One heart rate as a sensor sent it, stamped at its arrival.
public struct HeartRateValue: Hashable, Sendable, Codable {
  /// When the notification was read. Kept in the store to the millisecond, rounded down.
  public var time: Timestamp
  /// Beats per minute, as received: 1 to 65535.
  public var beatsPerMinute: UInt16
  /// What the sensor said about skin contact.
  public var contact: SensorContact
  /// Energy expended since its last reset, in kilojoules, where this notification carried it; 65535 is an overflow.
  public var energyKilojoules: UInt16?

  /// A rate; without contact and energy it says nothing about them.
  public init(
    time: Timestamp, beatsPerMinute: UInt16, contact: SensorContact = .notSupported, energyKilojoules: UInt16? = nil
  ) {
    self.time = time
    self.beatsPerMinute = beatsPerMinute
    self.contact = contact
    self.energyKilojoules = energyKilojoules
  }
}

/// What the sensor said about skin contact with a value (Heart Rate Service 1.0, flag bits 1 and 2).
public enum SensorContact: UInt8, Hashable, Sendable, CaseIterable, Codable {
  case notSupported = 0
  case notDetected = 1
  case detected = 2
}
