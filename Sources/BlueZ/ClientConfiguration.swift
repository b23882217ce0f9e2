/// What a ``Client`` looks for in each followed device.
public struct ClientConfiguration: Hashable, Sendable {
  /// The characteristic whose notifications are wanted.
  public var notifying: BluetoothUUID
  /// Characteristics read once after each link came up, in this order; missing and refused ones are left out.
  public var readOnce: [BluetoothUUID]
  public init(notifying: BluetoothUUID, readOnce: [BluetoothUUID] = []) {
    self.notifying = notifying
    self.readOnce = readOnce
  }
}
