/// What discovery reports.
public enum DiscoveryMode: Hashable, Sendable {
  /// Devices that advertise one of these services: as BlueZ filters them or, where it must not be asked to
  /// (``Adapter/filtersServices``), as the central does.
  case services([BluetoothUUID])
  /// Every Low Energy device: some sensors advertise nothing but their name.
  case everything
}
