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

  init(path: AdapterPath) {
    self.path = path
  }
}
