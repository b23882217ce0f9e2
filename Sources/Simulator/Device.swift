/// Names a device object: the strap (by number) as seen by an adapter (by number).
struct DeviceKey: Hashable, Sendable {
  let adapter: Int
  let strap: Int
}

/// A device object of bluetoothd.
struct Device {
  var alias: String
  var uuids: [String]
  /// Nil when nothing was heard since the last discovery.
  var rssi: Int16?
  var isPaired = false
  var isTrusted = false
  var isBlocked = false
  /// What the property says, which lags behind `link`.
  var isConnected = false
  var isResolved = false
  var hasBattery = false
  var batteryLevel: UInt8 = 0
  /// Whether it goes 30 s after it was last of use; true until the first Connect and after each loss of an unpaired one.
  var isTemporary = true
  var wasEverConnected = false

  /// The number of the strap's link when there is one.
  var link: Int?
  /// The GATT objects that are shown; they stay when the link is lost.
  var layout: GATTLayout?
  /// Whether this link's services come from a cache that lacks the heart rate.
  var isStale = false
  /// What is subscribed, by the handle of the characteristic.
  var subscriptions: [UInt16: Subscription] = [:]
  /// The last values seen, by handle.
  var values: [UInt16: [UInt8]] = [:]

  /// The Connect that waits for its answer.
  var connecting: CallToken?
  /// The Disconnect and RemoveDevice calls that wait for the link's end.
  var disconnecting: [CallToken] = []
  /// Whether the object goes with the link.
  var isBeingRemoved = false
  /// The Pair that waits for its answer.
  var pairing: CallToken?
  /// Which order of signals this link got.
  var resolveOrder = ResolveOrder.usual

  var expiry: Agenda<Occasion>.ID?
  var connectTimeout: Agenda<Occasion>.ID?

  /// Whether a Disconnect is under way.
  var isDisconnecting: Bool { !disconnecting.isEmpty }
}

/// Who listens to a characteristic, and how.
struct Subscription {
  /// Where the write of the client characteristic configuration has got to.
  enum Configuration {
    case off, writing, on
  }

  /// A client that called StartNotify.
  struct Client {
    let sender: String
    /// Whether it is registered on this link; after a reconnect BlueZ does that by itself.
    var isRegistered: Bool
  }

  let uuid: String
  var clients: [Client] = []
  /// The StartNotify calls that wait for the strap's answer.
  var starting: [CallToken] = []
  /// The AcquireNotify call that waits for the strap's answer.
  var acquiring: CallToken?
  /// The socket pair of AcquireNotify.
  var pipe: PipeToken?
  /// Who has acquired or is about to.
  var acquirer: String?
  var isNotifying = false
  /// Whether `NotifyAcquired` is true.
  var isAcquired = false
  var configuration = Configuration.off

  /// The number of clients that each value is emitted for.
  var registered: Int { clients.count { $0.isRegistered } }
}
