/// The hardware that measured, as far as it has identified itself (HealthKit's `HKDevice`).
public struct Device: Hashable, Sendable, Codable {
  /// The name that the device advertises.
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

/// The program that saved an object, with its version (HealthKit's `HKSourceRevision`).
public struct SourceRevision: Hashable, Sendable, Codable {
  /// The name that distinguishes sources: a reverse-domain or program name, such as `sensord`.
  public var identifier: String
  /// The name for display.
  public var name: String
  /// The program's version.
  public var version: String?
  /// The machine on which the program ran.
  public var productType: String?
  /// The system on which the program ran.
  public var operatingSystemVersion: String?

  /// A source revision with the given parts.
  public init(
    identifier: String, name: String, version: String? = nil, productType: String? = nil,
    operatingSystemVersion: String? = nil
  ) {
    self.identifier = identifier
    self.name = name
    self.version = version
    self.productType = productType
    self.operatingSystemVersion = operatingSystemVersion
  }
}

/// A source as distinguished by statistics: a program together with the device that it read.
///
/// Two straps recorded by one program are two sources and are never mixed. A source without a device stands for what the
/// program saved without one, not for all that it saved.
public struct DataSource: Hashable, Sendable, CustomStringConvertible, Codable {
  /// The source's identifier, see ``SourceRevision/identifier``.
  public var source: String
  /// The device's local identifier, or else its name; nil without a device.
  public var device: String?

  /// A source with the given parts.
  public init(source: String, device: String? = nil) {
    self.source = source
    self.device = device
  }

  /// The source of an object with that revision and device.
  public init(_ source: SourceRevision, _ device: Device?) {
    self.init(source: source.identifier, device: device?.localIdentifier ?? device?.name)
  }

  /// `source/device`, or the source alone.
  public var description: String {
    device.map { "\(source)/\($0)" } ?? source
  }
}
