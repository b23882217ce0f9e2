public import DBus

/// One Bluetooth adapter as BlueZ shows it.
///
/// Source: BlueZ `doc/adapter-api.txt`, `org.bluez.Adapter1`.
public struct Adapter: Hashable, Sendable {
  public let path: AdapterPath
  public internal(set) var address: DeviceAddress?
  /// Nothing can be found or connected while it is false: another program or a switch turned the radio off.
  public internal(set) var isPowered = false
  /// Whether any program has it look for devices.
  public internal(set) var isDiscovering = false
  /// Whether BlueZ can be asked for devices with a service only, so that the kernel filters what is advertised; nil until it has
  /// said. Versions 5.83 to 5.87 end (SIGSEGV) when such a device advertises, and are not asked.
  public internal(set) var filtersServices: Bool?

  init(path: AdapterPath) {
    self.path = path
  }
}

/// The object of one Bluetooth adapter: `/org/bluez/hci0`.
public struct AdapterPath: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let object: ObjectPath

  /// Nil where `object` is no adapter's path.
  public init?(_ object: ObjectPath) {
    guard object.parent == "/org/bluez", object.lastElement.utf8.starts(with: "hci".utf8) else { return nil }
    self.object = object
  }

  /// The path of the adapter that the kernel calls `hci` and this number.
  public init(_ number: UInt16) {
    // Letters and digits only, so the path is valid.
    object = ObjectPath("/org/bluez/hci\(number)") ?? .root
  }

  /// The kernel's name of the adapter: `hci0`.
  public var name: String { String(object.lastElement) }

  public var description: String { object.text }

  public static func < (first: AdapterPath, second: AdapterPath) -> Bool { first.object < second.object }
}
