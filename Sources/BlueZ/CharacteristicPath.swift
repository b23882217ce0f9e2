public import DBus

/// The object of one GATT characteristic: `/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000e/char000f`.
///
/// The numbers are handles: they can differ after a firmware update of the sensor, so a path is only good for as long
/// as its object is there.
public struct CharacteristicPath: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let object: ObjectPath
  public let device: DevicePath

  /// Nil where `object` is no characteristic's path; a descriptor, one element deeper, is none.
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
