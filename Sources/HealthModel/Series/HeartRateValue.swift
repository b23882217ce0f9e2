/// A heart rate as a sensor sent it, with the time of its arrival.
public struct HeartRateValue: Hashable, Sendable, Codable {
  /// When the notification was read. Stored to the millisecond, rounded down.
  public var time: Timestamp
  /// Beats per minute, as received: 1 to 65535.
  public var beatsPerMinute: UInt16
  /// Skin contact as reported by the sensor.
  public var contact: SensorContact
  /// Energy expended since the sensor's last reset, in kilojoules, if this notification has it; 65535 means overflow.
  public var energyKilojoules: UInt16?

  /// A rate; contact and energy default to unknown.
  public init(
    time: Timestamp, beatsPerMinute: UInt16, contact: SensorContact = .notSupported, energyKilojoules: UInt16? = nil
  ) {
    self.time = time
    self.beatsPerMinute = beatsPerMinute
    self.contact = contact
    self.energyKilojoules = energyKilojoules
  }
}

/// Skin contact as reported with a value (Heart Rate Service 1.0, flag bits 1 and 2).
public enum SensorContact: UInt8, Hashable, Sendable, CaseIterable, Codable {
  case notSupported = 0
  case notDetected = 1
  case detected = 2
}
