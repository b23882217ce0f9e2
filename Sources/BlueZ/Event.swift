/// What ``Client`` tells its owner, in the order in which it happened.
///
/// Names and bytes in it were chosen by whoever is on the air: data, not text for a log.
public enum Event: Hashable, Sendable {
  /// bluetoothd is there and everything it knows has been told or follows at once.
  case serviceAppeared
  /// bluetoothd is gone; so are all adapters, devices and links. The client waits for its return.
  case serviceDisappeared
  /// The bus is gone, and the client with it: connect anew and make another one.
  case busLost
  /// An adapter appeared or changed.
  case adapter(Adapter)
  case adapterRemoved(AdapterPath)
  case discovery(AdapterPath, DiscoveryState)
  /// An advertisement was heard; `rssi` is its signal.
  case deviceSeen(Device)
  /// A device became known, or something other than its signal changed.
  case deviceChanged(Device)
  case deviceRemoved(Device)
  /// A ``Client/connect(_:)`` did not lead to a link with services. Whether and when to try again is the owner's.
  case connectFailed(DeviceAddress, ConnectFailure)
  /// The link to a followed device is up. Not ours: another program made it, and we never close it.
  case linkUp(DeviceAddress, adapter: AdapterPath, isOurs: Bool)
  /// Values come from now on; again after each ``unsubscribed(_:)`` on the same link.
  case subscribed(DeviceAddress, SubscriptionMode)
  case subscriptionFailed(DeviceAddress, SubscriptionFailure)
  /// Values stopped coming though the link is up: the sensor's services changed, or another program interfered.
  case unsubscribed(DeviceAddress)
  /// The value of one notification, byte for byte; `microseconds` on the boot clock, when it was read.
  case notification(DeviceAddress, bytes: [UInt8], microseconds: Int64)
  /// A characteristic of ``ClientConfiguration/readOnce``, read after this link came up.
  case value(DeviceAddress, BluetoothUUID, bytes: [UInt8])
  /// Percent, 0…100: when the link came up, and at each change.
  case battery(DeviceAddress, percent: UInt8)
  /// The link is gone; every value that arrived before has been told.
  case linkDown(DeviceAddress, reason: DisconnectReason?)
  /// BlueZ told the reason after the link was reported down.
  case disconnectReason(DeviceAddress, DisconnectReason)
}
