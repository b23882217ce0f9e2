/// What a ``Central`` looks for in each followed device.
public struct CentralConfiguration: Hashable, Sendable {
  /// The characteristic whose notifications are wanted.
  public var notifying: BluetoothUUID
  /// Characteristics read once after each link came up, in this order; missing and refused ones are left out.
  public var readOnce: [BluetoothUUID]
  /// Links that an earlier central made and left: where they are up when the service is first seen, they are this central's.
  public var inherited: OwnLinks?
  /// A bluetoothd that has not answered with its objects after this is silent. One that starts with many devices takes a second.
  public var answerLimit = Duration.seconds(5)

  public init(notifying: BluetoothUUID, readOnce: [BluetoothUUID] = [], inherited: OwnLinks? = nil) {
    self.notifying = notifying
    self.readOnce = readOnce
    self.inherited = inherited
  }
}
