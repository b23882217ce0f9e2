/// What discovery reports.
public enum DiscoveryMode: Hashable, Sendable {
  /// Devices that advertise one of these services.
  case services([BluetoothUUID])
  /// Every Low Energy device: some sensors advertise nothing but their name.
  case everything
}
