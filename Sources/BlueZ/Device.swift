import Bits
public import DBus

/// One device as BlueZ shows it through one adapter.
///
/// Source: BlueZ `doc/device-api.txt`, `org.bluez.Device1`, and `doc/battery-api.txt`, `org.bluez.Battery1`.
public struct Device: Hashable, Sendable {
  /// The origin of the 48 bits of an address.
  public enum AddressType: String, Hashable, Sendable {
    /// Assigned by the IEEE.
    case `public`
    /// Chosen by the device, for ever or for a while.
    case random
  }

  public let path: DevicePath
  public internal(set) var address: DeviceAddress
  public internal(set) var addressType: AddressType?
  /// The name that the device gives itself: up to 248 bytes that anybody on the air chose, control characters included.
  public internal(set) var name: String?
  /// Received signal strength in dBm; nil outside of discovery.
  public internal(set) var rssi: Int16?
  /// The services it advertised or, once they are resolved, has.
  public internal(set) var services: [BluetoothUUID] = []
  /// A key is stored from which the link is encrypted.
  public internal(set) var isPaired = false
  public internal(set) var isConnected = false
  /// The objects of its services and characteristics are complete.
  public internal(set) var servicesResolved = false
  /// Percent, 0…100, if the device reports it.
  public internal(set) var battery: UInt8?

  init(path: DevicePath) {
    self.path = path
    address = path.address
  }

  /// Whether a link is there.
  ///
  /// `Connected: true` can be missing altogether after an own Disconnect and a new Connect; resolved services prove
  /// the link as well.
  public var hasLink: Bool { isConnected || servicesResolved }
}

/// A Bluetooth device address: 48 bits, written `C0:FF:EE:00:00:01`.
public struct DeviceAddress: Hashable, Sendable {
  /// The address in its low 48 bits, the first written byte highest.
  public let bits: UInt64

  /// Nil where `bits` has more than 48 bits.
  public init?(bits: UInt64) {
    guard bits >> 48 == 0 else { return nil }
    self.bits = bits
  }

  /// The address in the low 48 bits of `bits`; those above are not looked at.
  public init(truncatingBits bits: UInt64) {
    self.bits = bits & 0xFFFF_FFFF_FFFF
  }

  /// Reads six two-digit hexadecimal bytes between colons; nil for anything else.
  public init?(_ text: some StringProtocol) {
    self.init(text, separator: UInt8(ascii: ":"))
  }

  /// As ``init(_:)``, with another character between the bytes: object paths have underscores there.
  init?(_ text: some StringProtocol, separator: UInt8) {
    guard text.utf8.count == 17 else { return nil }
    var bits: UInt64 = 0
    for (position, character) in text.utf8.enumerated() {
      if position % 3 == 2 {
        guard character == separator else { return nil }
      } else {
        guard let digit = Hexadecimal.valueInEitherCase(character) else { return nil }
        bits = bits << 4 | UInt64(digit)
      }
    }
    self.bits = bits
  }

  func text(separator: UInt8) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(17)
    for shift in stride(from: 40, through: 0, by: -8) {
      text.append(digits[Int(bits >> UInt64(shift + 4) & 0xF)])
      text.append(digits[Int(bits >> UInt64(shift) & 0xF)])
      if shift > 0 { text.append(separator) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension DeviceAddress: Comparable, CustomStringConvertible {
  public var description: String { text(separator: UInt8(ascii: ":")) }

  public static func < (first: DeviceAddress, second: DeviceAddress) -> Bool { first.bits < second.bits }
}

/// The object of a device as one adapter knows it: `/org/bluez/hci0/dev_C0_FF_EE_00_00_01`.
///
/// A strap that two adapters hear has two of them.
public struct DevicePath: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let object: ObjectPath
  public let adapter: AdapterPath
  /// The address in the path; a bonded device keeps it when it changes the one on the air.
  public let address: DeviceAddress

  /// Nil where `object` is no device's path.
  public init?(_ object: ObjectPath) {
    let element = object.lastElement
    guard element.utf8.starts(with: "dev_".utf8),
      let address = DeviceAddress(element.dropFirst(4), separator: UInt8(ascii: "_")),
      let parent = object.parent, let adapter = AdapterPath(parent)
    else { return nil }
    self.object = object
    self.adapter = adapter
    self.address = address
  }

  /// The path that BlueZ gives to a device that it meets under this address.
  init?(_ address: DeviceAddress, on adapter: AdapterPath) {
    guard let object = adapter.object.appending("dev_" + address.text(separator: UInt8(ascii: "_"))) else { return nil }
    self.object = object
    self.adapter = adapter
    self.address = address
  }

  public var description: String { object.text }

  public static func < (first: DevicePath, second: DevicePath) -> Bool { first.object < second.object }
}

/// One GATT characteristic as BlueZ shows it; its value is never stored.
///
/// Source: BlueZ `doc/gatt-api.txt`, `org.bluez.GattCharacteristic1`.
struct Characteristic: Hashable, Sendable {
  let path: CharacteristicPath
  var uuid: BluetoothUUID
  /// A program has called StartNotify: values are emitted as PropertiesChanged, once for each such program.
  var isNotifying = false
  /// A program, this one perhaps, has called AcquireNotify: values go into its descriptor and nowhere else.
  var isNotifyAcquired = false
}

/// The object of one GATT characteristic: `/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000e/char000f`.
///
/// The numbers are handles: they can differ after a firmware update of the sensor, so a path is only good for as long
/// as its object is there.
public struct CharacteristicPath: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let object: ObjectPath
  public let device: DevicePath

  /// Nil if `object` is not a characteristic's path; a descriptor is one element deeper.
  public init?(_ object: ObjectPath) {
    guard object.lastElement.utf8.starts(with: "char".utf8), let service = object.parent,
      service.lastElement.utf8.starts(with: "service".utf8), let parent = service.parent,
      let device = DevicePath(parent)
    else { return nil }
    self.object = object
    self.device = device
  }

  public var description: String { object.text }

  public static func < (first: CharacteristicPath, second: CharacteristicPath) -> Bool {
    first.object < second.object
  }
}
