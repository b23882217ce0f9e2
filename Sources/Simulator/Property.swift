/// A value of `org.bluez` independent of the bus: the few D-Bus types that bluetoothd sends and accepts.
enum Property: Hashable, Sendable {
  /// `b`
  case bool(Bool)
  /// `y`
  case byte(UInt8)
  /// `n`
  case int16(Int16)
  /// `q`
  case uint16(UInt16)
  /// `u`
  case uint32(UInt32)
  /// `s`
  case string(String)
  /// `o`
  case objectPath(String)
  /// `as`
  case strings([String])
  /// `ao`
  case objectPaths([String])
  /// `ay`
  case bytes([UInt8])
  /// `a{qv}` of byte arrays: company identifier to its data.
  case manufacturerData([UInt16: [UInt8]])
  /// `a{sv}`
  case dictionary([String: Property])
  /// `v`: the answer of Properties.Get.
  indirect case variant(Property)
  /// `a{oa{sa{sv}}}`: every object with its interfaces, the answer to GetManagedObjects.
  case objects([String: Interfaces])
}

/// The properties of one interface by name.
typealias Properties = [String: Property]

/// The interfaces of one object by name.
typealias Interfaces = [String: Properties]
