/// What ``Central`` reports to its owner, in the order in which it happened.
///
/// Names and bytes in it were chosen by whoever is on the air: data, not text for a log.
public enum Event: Hashable, Sendable {
  /// bluetoothd is there and everything it knows has been reported or follows at once.
  case serviceAppeared
  /// bluetoothd runs and the bus's policy does not let this user talk to it; it is tried again until it does.
  case serviceDenied
  /// bluetoothd owns its name and does not answer: it hangs. It is asked again until it does, with this event each time.
  case serviceSilent
  /// bluetoothd is gone; so are all adapters, devices and links. The central waits for its return.
  case serviceDisappeared
  /// The bus is gone, and the central with it: connect anew and make another one.
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
  /// A device that hides behind changing addresses has told its lasting one, with the keys of a pairing (Core Specification, Vol 3,
  /// Part H, 3.6.5). The device of the first address is removed next, and its link ends; that of the second one has the same link.
  case identityLearnt(DeviceAddress, identity: DeviceAddress)
  /// A ``Central/connect(_:on:)`` did not lead to a link. Whether and when to try again is the owner's.
  case connectFailed(DeviceAddress, AdapterPath, ConnectFailure)
  /// A link is up; not ours: another program made it, and we never close it. Ours without a ``Central/connect(_:on:)``: it is
  /// one of ``CentralConfiguration/inherited``.
  ///
  /// The other answer to ``Central/connect(_:on:)``. Told for every device, followed or not, and also for links that are
  /// there when the service appears.
  case linkUp(DeviceAddress, AdapterPath, isOurs: Bool)
  /// The services of a linked device are known: values can come from now on. After a success of Connect it may never come.
  case servicesResolved(DeviceAddress, AdapterPath)
  /// Values come from now on; again after each ``unsubscribed(_:)`` on the same link.
  case subscribed(DeviceAddress, SubscriptionMode)
  case subscriptionFailed(DeviceAddress, SubscriptionFailure)
  /// Values stopped coming though the link is up: the sensor's services changed, or another program interfered.
  case unsubscribed(DeviceAddress)
  /// The value of one notification, byte for byte; `microseconds` on the boot clock, when it arrived; where
  /// the kernel does not say that, when it was read.
  case notification(DeviceAddress, bytes: [UInt8], microseconds: Int64)
  /// A characteristic of ``CentralConfiguration/readOnce``, read after this link came up.
  case value(DeviceAddress, BluetoothUUID, bytes: [UInt8])
  /// Percent, 0…100: when the link came up, and at each change.
  case battery(DeviceAddress, percent: UInt8)
  /// The link is gone; every value that arrived before has been reported.
  case linkDown(DeviceAddress, AdapterPath, reason: DisconnectReason?)
  /// BlueZ gave the reason after the link was reported down.
  case disconnectReason(DeviceAddress, AdapterPath, DisconnectReason)
}
