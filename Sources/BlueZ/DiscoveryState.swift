/// Whether an adapter looks for devices on our behalf.
public enum DiscoveryState: Hashable, Sendable {
  case running
  case stopped
  /// BlueZ refuses, with this D-Bus error name; trying goes on. `org.bluez.Error.InProgress` for long means that
  /// only a restart of bluetoothd helps.
  case refused(name: String)
}
