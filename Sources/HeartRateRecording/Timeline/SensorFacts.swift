public import Sensors

/// What the sensor told about itself during a session, what happened to its link, and what was marked meanwhile.
public struct SensorFacts: Hashable, Sendable {
  /// Percent, the first and the last value of the session.
  public var firstBatteryPercent: UInt8?
  public var lastBatteryPercent: UInt8?
  /// When it first told ``Sensors/SensorEvent/lowBatteryPercent`` or less, in microseconds since 1970 (UTC).
  public var batteryLowMicroseconds: Int64?
  /// The last Body Sensor Location (2A38), as received.
  public var location: UInt8?
  /// Device Information, the last value of each field.
  public var information: [DeviceInformationField: String] = [:]
  /// dBm, the weakest and the strongest signal.
  public var weakestSignal: Int16?
  public var strongestSignal: Int16?
  /// Each loss of the link, in order.
  public var disconnects: [Disconnect] = []
  /// What somebody marked, in order. Kept for whoever shows it, used for nothing here.
  public var markers: [SessionMarker] = []

  public init() {}

  public struct Disconnect: Hashable, Sendable {
    /// Microseconds since 1970 (UTC).
    public var wallMicroseconds: Int64
    /// BlueZ's reason, where it gives one.
    public var reason: String?

    public init(wallMicroseconds: Int64, reason: String?) {
      self.wallMicroseconds = wallMicroseconds
      self.reason = reason
    }
  }
}
