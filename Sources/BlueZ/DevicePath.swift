public import DBus

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
