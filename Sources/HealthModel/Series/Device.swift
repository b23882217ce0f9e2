/// The piece of hardware that measured, as far as it told about itself (HealthKit's `HKDevice`).
public struct Device: Hashable, Sendable {
  public var name: String?
  public var manufacturer: String?
  public var model: String?
  public var hardwareVersion: String?
  public var firmwareVersion: String?
  public var softwareVersion: String?
  /// What this machine knows the device by: the Bluetooth address of a sensor.
  public var localIdentifier: String?
  /// The device identifier part of a unique device identifier (UDI), or a serial number where that is all there is.
  public var uniqueDeviceIdentifier: String?

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
