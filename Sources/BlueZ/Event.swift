import DBus

/// An event that ``Central`` reports to its owner, in the order in which it happened.
///
/// Names and bytes in it were chosen by whoever is on the air: data, not text for a log.
public enum Event: Hashable, Sendable {
  /// bluetoothd is there and everything it knows has been reported or follows at once.
  case serviceAppeared
  /// bluetoothd runs and the bus's policy does not let this user talk to it; it is tried again until it does.
  case serviceDenied
  /// bluetoothd owns its name and does not answer: it hangs. The question is repeated until an answer comes, with this
  /// event each time.
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
  /// A device that hides behind changing addresses has revealed its lasting one, with the keys of a pairing (Core
  /// Specification, Vol 3, Part H, 3.6.5). The device of the first address is removed next, and its link ends; that of
  /// the second one has the same link.
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
  /// The value of one notification, byte for byte; `microseconds` on the boot clock, when it arrived; where the kernel
  /// does not report that, when it was read.
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

/// Why a link did not come up.
public enum ConnectFailure: Error, Hashable, Sendable {
  /// BlueZ does not know the device, or forgot it in this moment: discover it first.
  case unknownDevice
  /// No adapter that knows the device is switched on.
  case adapterOff
  /// The device did not answer or the link could not be made; BlueZ gave up, after 40 s where it was silent, after 4 s
  /// where the adapter holds no more links, at once where the link broke.
  case aborted
  /// The device refused.
  case refused
  /// Somebody called Disconnect meanwhile.
  case cancelled
  /// Another program's Connect is still pending.
  case inProgress
  /// Keys are missing or refused.
  case authentication
  /// The bus's policy forbids it: on some systems one must be in the group `bluetooth`.
  case accessDenied
  /// bluetoothd ended.
  case serviceGone
  /// The bus ended.
  case busLost
  /// Another error of BlueZ: its D-Bus name and text.
  case other(name: String, text: String)

  init(_ error: DBusError) {
    switch error.code {
    case .disconnected: self = .busLost
    case .remote(let name): self = Self.classify(name: name, text: error.message)
    default: self = .other(name: "", text: error.message)
    }
  }

  /// Reads BlueZ's text, since nearly every failure of Connect bears the name `org.bluez.Error.Failed`.
  ///
  /// Source: BlueZ `src/error.h`, and what was seen of 5.66.
  private static func classify(name: String, text: String) -> ConnectFailure {
    switch name {
    case "org.freedesktop.DBus.Error.UnknownObject", "org.bluez.Error.DoesNotExist": return .unknownDevice
    case "org.freedesktop.DBus.Error.AccessDenied": return .accessDenied
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.NoReply":
      return .serviceGone
    case "org.bluez.Error.InProgress": return .inProgress
    case "org.bluez.Error.NotReady": return .adapterOff
    case "org.bluez.Error.AuthenticationFailed", "org.bluez.Error.AuthenticationRejected",
      "org.bluez.Error.AuthenticationCanceled", "org.bluez.Error.AuthenticationTimeout":
      return .authentication
    default: break
    }
    switch text {
    case "Operation already in progress": return .inProgress
    case "Input/output error", "le-connection-adapter-not-powered", "br-connection-adapter-not-powered":
      return .adapterOff
    case "le-connection-abort-by-local", "br-connection-aborted-by-local": return .aborted
    case "le-connection-abort-by-remote", "le-connection-refused", "br-connection-aborted-by-remote",
      "br-connection-refused":
      return .refused
    case "br-connection-canceled", "le-connection-canceled": return .cancelled
    case "le-connection-timeout", "br-connection-page-timeout", "Connection timed out", "Host is down": return .aborted
    case "le-connection-key-missing", "br-connection-key-missing": return .authentication
    default: return .other(name: name, text: text)
    }
  }
}

/// The reason why a link ended, where BlueZ reports it (since 5.83) or the cause is plain.
public enum DisconnectReason: Hashable, Sendable, CustomStringConvertible {
  /// The device was not heard for longer than the supervision timeout.
  case timeout
  /// This machine closed the link.
  case local
  /// The device closed the link.
  case remote
  /// The device's or this machine's keys were refused.
  case authentication
  /// This machine went to sleep.
  case suspend
  /// The device's object was removed: by another program, or together with its adapter.
  case removed
  /// The adapter was switched off or pulled out.
  case adapterGone
  /// bluetoothd ended.
  case serviceGone
  /// The bus ended.
  case busLost
  /// BlueZ knows none either, or one that is new.
  case unknown

  /// Reads the first argument of `org.bluez.Device1.Disconnected`, `org.bluez.Reason.Timeout` for example.
  init(name: String) {
    self =
      switch name {
      case "org.bluez.Reason.Timeout": .timeout
      case "org.bluez.Reason.Local": .local
      case "org.bluez.Reason.Remote": .remote
      case "org.bluez.Reason.Authentication": .authentication
      case "org.bluez.Reason.Suspend": .suspend
      default: .unknown
      }
  }

  /// One or two words for a log and for the session's metadata.
  public var description: String {
    switch self {
    case .timeout: "timeout"
    case .local: "local"
    case .remote: "remote"
    case .authentication: "authentication"
    case .suspend: "suspend"
    case .removed: "device removed"
    case .adapterGone: "adapter gone"
    case .serviceGone: "bluetoothd gone"
    case .busLost: "bus lost"
    case .unknown: "unknown"
    }
  }
}
