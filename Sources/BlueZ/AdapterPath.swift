public import DBus

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
