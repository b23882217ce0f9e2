/// The 16-bit UUIDs of the services and characteristics that a heart-rate sensor offers.
///
/// Source: Bluetooth SIG, Assigned Numbers, section 3 (16-bit UUIDs).
public enum AssignedUUID {
  /// Heart Rate Service.
  public static let heartRateService: UInt16 = 0x180D
  /// Heart Rate Measurement: notify. See ``HeartRateMeasurement``.
  public static let heartRateMeasurement: UInt16 = 0x2A37
  /// Body Sensor Location: read. See ``BodySensorLocation``.
  public static let bodySensorLocation: UInt16 = 0x2A38
  /// Heart Rate Control Point: write. See ``HeartRateControlPoint``.
  public static let heartRateControlPoint: UInt16 = 0x2A39

  /// Human Interface Device Service: a game controller, a keyboard. Its driver connects it.
  public static let humanInterfaceDevice: UInt16 = 0x1812

  /// Battery Service.
  public static let batteryService: UInt16 = 0x180F
  /// Battery Level: read, often notify; one byte, percent.
  public static let batteryLevel: UInt16 = 0x2A19

  /// Device Information Service.
  public static let deviceInformationService: UInt16 = 0x180A
  /// Model Number String: read; UTF-8.
  public static let modelNumber: UInt16 = 0x2A24
  /// Serial Number String: read; UTF-8.
  public static let serialNumber: UInt16 = 0x2A25
  /// Firmware Revision String: read; UTF-8.
  public static let firmwareRevision: UInt16 = 0x2A26
  /// Hardware Revision String: read; UTF-8.
  public static let hardwareRevision: UInt16 = 0x2A27
  /// Software Revision String: read; UTF-8.
  public static let softwareRevision: UInt16 = 0x2A28
  /// Manufacturer Name String: read; UTF-8.
  public static let manufacturerName: UInt16 = 0x2A29
}
