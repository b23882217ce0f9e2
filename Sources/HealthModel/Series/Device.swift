/// The hardware that measured, as far as it has identified itself (HealthKit's `HKDevice`).
public struct Device: Hashable, Sendable, Codable {
  /// The name that it advertises.
  public var name: String?
  /// The manufacturer's name.
  public var manufacturer: String?
  /// The model's number or name.
  public var model: String?
  /// The revision of the hardware.
  public var hardwareVersion: String?
  /// The revision of the firmware.
  public var firmwareVersion: String?
  /// The revision of the software.
  public var softwareVersion: String?
  /// The machine's identifier of the device: the Bluetooth address of a sensor.
  public var localIdentifier: String?
  /// The device identifier part of a unique device identifier (UDI), or else the serial number.
  public var uniqueDeviceIdentifier: String?

  /// A device; unknown properties are nil.
  public init(
    name: String? = nil, manufacturer: String? = nil, model: String? = nil, hardwareVersion: String? = nil,
    firmwareVersion: String? = nil, softwareVersion: String? = nil, localIdentifier: String? = nil,
    uniqueDeviceIdentifier: String? = nil
  ) {
    self.name = name
    self.manufacturer = manufacturer
    self.model = model
    self.hardwareVersion = hardwareVersion
    self.firmwareVersion = firmwareVersion
    self.softwareVersion = softwareVersion
    self.localIdentifier = localIdentifier
    self.uniqueDeviceIdentifier = uniqueDeviceIdentifier
  }
}
