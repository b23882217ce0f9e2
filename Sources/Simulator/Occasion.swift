/// What is due at some moment.
///
/// The two sides are apart because bluetoothd can be frozen or dead while the air goes on.
enum Occasion: Sendable {
  case air(AirEvent)
  case daemon(DaemonEvent)
}

/// What happens in the air and in the kernel, by strap and adapter number.
enum AirEvent: Sendable {
  /// The next item of the machine's timeline.
  case machineItem
  /// The next item of a strap's timeline.
  case strapItem(Int)
  /// A strap's own heart has something to tell.
  case heart(Int)
  /// The next value of a strap that floods.
  case flood(Int)
  case advertisement(Int)
  /// The third advertisement was heard: the link is there.
  case linkMade(DeviceKey)
  /// The adapter held no more links for too long.
  case noRoom(DeviceKey)
  /// The client characteristic configuration is written.
  case configure(DeviceKey, link: Int, handle: UInt16, uuid: String, on: Bool)
  /// The link ends, unless it has ended already.
  case endLink(Int, link: Int, reason: UInt8)
  /// The adapter that was pushed in has power.
  case adapterPowered(Int)
}

/// What bluetoothd gets to know or does.
enum DaemonEvent: Sendable {
  case advertisement(DeviceKey)
  case linkUp(DeviceKey, link: Int)
  case linkFailed(DeviceKey, LinkFailure)
  /// The link has ended; the reason is the HCI error.
  case linkDown(DeviceKey, link: Int, reason: UInt8)
  case connectTimeout(DeviceKey)
  case resolve(DeviceKey, link: Int)
  /// The objects of services that were called resolved come late.
  case exportServices(DeviceKey, link: Int)
  case connectReply(DeviceKey, link: Int)
  /// The strap answered the write of the configuration.
  case configured(DeviceKey, link: Int, handle: UInt16, accepted: Bool)
  case startNotifyReply(CallToken)
  case value(DeviceKey, link: Int, uuid: String, bytes: [UInt8], number: Int?)
  /// The signal for a value goes out.
  case emit(DeviceKey, link: Int, handle: UInt16, bytes: [UInt8], number: Int?)
  case readReply(DeviceKey, link: Int, handle: UInt16, isDescriptor: Bool, CallToken)
  case writeReply(DeviceKey, link: Int, handle: UInt16, [UInt8], CallToken)
  case batteryLevel(DeviceKey, link: Int, UInt8)
  case serviceChanged(DeviceKey, link: Int)
  /// The strap wants an encrypted link before it lets anybody subscribe.
  case encryptionNeeded(DeviceKey, link: Int)
  case paired(DeviceKey, link: Int, accepted: Bool)
  case expire(DeviceKey)
  case adapterAppears(Int)
  case adapterPowered(Int)
  case adapterPulled(Int)
  case input(Input)
}

/// Why no link came of a Connect.
enum LinkFailure: Hashable, Sendable {
  /// Made and lost at once (HCI error 0x3E).
  case refused
  /// The adapter holds no more links.
  case noRoom
}
