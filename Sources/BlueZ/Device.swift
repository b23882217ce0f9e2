/// What BlueZ shows of one device through one adapter.
///
/// Source: BlueZ `doc/device-api.txt`, `org.bluez.Device1`, and `doc/battery-api.txt`, `org.bluez.Battery1`.
public struct Device: Hashable, Sendable {
  /// How the 48 bits of an address came about.
  public enum AddressType: String, Hashable, Sendable {
    /// Assigned by the IEEE.
    case `public`
    /// Chosen by the device, for ever or for a while.
    case random
  }

  public let path: DevicePath
  public internal(set) var address: DeviceAddress
  public internal(set) var addressType: AddressType?
  /// What the device calls itself: up to 248 bytes that anybody on the air chose, control characters included.
  public internal(set) var name: String?
  /// Received signal strength in dBm; nil outside of discovery.
  public internal(set) var rssi: Int16?
  /// The services it advertised or, once they are resolved, has.
  public internal(set) var services: [BluetoothUUID] = []
  /// A key is kept from which the link is encrypted.
  public internal(set) var isPaired = false
  public internal(set) var isConnected = false
  /// The objects of its services and characteristics are complete.
  public internal(set) var servicesResolved = false
  /// Percent, 0…100, where the device says it.
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
