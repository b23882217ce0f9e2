/// An event that is due at some moment.
///
/// The two kinds are separate because bluetoothd can be frozen or dead while the air goes on.
enum Occasion: Sendable {
  case air(AirEvent)
  case daemon(DaemonEvent)
}

/// An event in the air or in the kernel, by strap and adapter number.
enum AirEvent: Sendable {
  /// The next item of the host's timeline.
  case machineItem
  /// The next item of a strap's timeline.
  case strapItem(Int)
  /// The next notification of a simulated heart.
  case heart(Int)
  /// The next value of a strap that floods.
  case flood(Int)
  case advertisement(Int)
  /// The third advertisement was heard: the link is up.
  case linkMade(DeviceKey)
  /// The adapter had no free links for too long.
  case noRoom(DeviceKey)
  /// The client characteristic configuration is written.
  case configure(DeviceKey, link: Int, handle: UInt16, uuid: String, on: Bool)
  /// The link ends, unless it has ended already.
  case endLink(Int, link: Int, reason: UInt8)
  /// The adapter that was pushed in has power.
  case adapterPowered(Int)
  /// Somebody starts bluetoothd again after it died.
  case daemonStart
}

/// An event that bluetoothd learns of or causes.
enum DaemonEvent: Sendable {
  case advertisement(DeviceKey)
  case linkUp(DeviceKey, link: Int)
  case linkFailed(DeviceKey, LinkFailure)
  /// The link has ended; the reason is the HCI error.
  case linkDown(DeviceKey, link: Int, reason: UInt8)
  case connectTimeout(DeviceKey)
  case resolve(DeviceKey, link: Int)
  /// The objects of services that were already reported as resolved are exported late.
  case exportServices(DeviceKey, link: Int)
  case connectReply(DeviceKey, link: Int)
  /// The strap answered the write of the configuration.
  case configured(DeviceKey, link: Int, handle: UInt16, accepted: Bool)
  case startNotifyReply(CallToken)
  case value(DeviceKey, link: Int, uuid: String, bytes: [UInt8], number: Int?)
  /// The signal for a value is emitted.
  case emit(DeviceKey, link: Int, handle: UInt16, bytes: [UInt8], number: Int?)
  case readReply(DeviceKey, link: Int, handle: UInt16, isDescriptor: Bool, CallToken)
  case writeReply(DeviceKey, link: Int, handle: UInt16, [UInt8], CallToken)
  case batteryLevel(DeviceKey, link: Int, UInt8)
  case serviceChanged(DeviceKey, link: Int)
  /// The strap demands encryption before it allows a subscription.
  case encryptionNeeded(DeviceKey, link: Int)
  case paired(DeviceKey, link: Int, accepted: Bool)
  case expire(DeviceKey)
  case adapterAppears(Int)
  case adapterPowered(Int)
  case adapterPulled(Int)
  case input(Input)
}

/// Why a Connect made no link.
enum LinkFailure: Hashable, Sendable {
  /// The link was made and lost at once (HCI error 0x3E).
  case refused
  /// The adapter has no free links.
  case noRoom
}
