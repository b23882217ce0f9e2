/// What BlueZ shows of one Bluetooth adapter.
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
