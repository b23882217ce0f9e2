/// A Bluetooth adapter: the controller, and what bluetoothd knows through it.
struct SimulatedAdapter {
  let address: String
  /// The number in `hci0`.
  let index: Int
  /// Whether it is plugged in.
  var isPlugged = true
  /// Whether bluetoothd shows its object.
  var isVisible = true
  var isPowered = true
  /// Whether it was just plugged in: visible, and not powered yet.
  var isStarting = false
  var alias = "BlueZ 5.66"

  /// The running discoveries, in the order of the calls.
  var sessions: [DiscoverySession] = []
  /// Filters that were set and are not used yet, by client.
  var filters: [String: DiscoveryFilter] = [:]

  /// Whether discovery is stuck.
  var isDiscoveryStuck = false
  /// Whether discovery ended by itself, though its client has not stopped it.
  var isDiscoveryHalted = false
  /// The straps heard in this discovery, for a controller that reports each only once.
  var heard: Set<Int> = []

  /// The numbers of the straps that the kernel is to connect.
  var attempts: Set<Int> = []
  /// The strap that is being connected: the kernel makes one link at a time.
  var linking: Int?
  /// Attempts that will fail soon because the adapter has no free links.
  var withoutRoom: [Int: Agenda<Occasion>.ID] = [:]

  /// The device objects, by the number of the strap.
  var devices: [Int: SimulatedDevice] = [:]

  /// The object's path.
  var path: String { "/org/bluez/hci\(index)" }

  /// A client's discovery.
  struct DiscoverySession {
    let sender: String
    /// Nil if the client set none: everything is reported.
    let filter: DiscoveryFilter?
  }
}

/// Identifies a device object: a strap (by number) as seen by an adapter (by number).
struct DeviceKey: Hashable, Sendable {
  let adapter: Int
  let strap: Int
}

/// A device object of bluetoothd.
struct SimulatedDevice {
  var alias: String
  var uuids: [String]
  /// Nil if nothing was heard since the last discovery.
  var rssi: Int16?
  var isPaired = false
  var isTrusted = false
  var isBlocked = false
  /// The property's value, which lags behind `link`.
  var isConnected = false
  var isResolved = false
  var hasBattery = false
  var batteryLevel: UInt8 = 0
  /// Whether it is removed 30 s after its last use: true until the first Connect, and after each loss of an unpaired one.
  var isTemporary = true
  var wasEverConnected = false

  /// The number of the strap's link when there is one.
  var link: Int?
  /// The GATT objects that are shown; they stay after the link is lost.
  var layout: GATTLayout?
  /// Whether this link's services come from a cache that lacks the heart rate service.
  var isStale = false
  /// Subscriptions by the characteristic's handle.
  var subscriptions: [UInt16: NotifySubscription] = [:]
  /// The last values received, by handle.
  var values: [UInt16: [UInt8]] = [:]

  /// The Connect call that waits for its answer.
  var connecting: CallToken?
  /// The Disconnect and RemoveDevice calls that wait for the link's end.
  var disconnecting: [CallToken] = []
  /// Whether the object is removed together with the link.
  var isBeingRemoved = false
  /// The Pair call that waits for its answer.
  var pairing: CallToken?
  /// The order of signals of this link.
  var resolveOrder = ResolveOrder.usual

  var expiry: Agenda<Occasion>.ID?
  var connectTimeout: Agenda<Occasion>.ID?

  /// Whether a Disconnect is in progress.
  var isDisconnecting: Bool { !disconnecting.isEmpty }
}

/// The subscribers of a characteristic.
struct NotifySubscription {
  /// The state of the write of the client characteristic configuration.
  enum Configuration {
    case off, writing, on
  }

  /// A client that called StartNotify.
  struct Client {
    let sender: String
    /// Whether it is registered on this link; BlueZ registers it again after a reconnect.
    var isRegistered: Bool
  }

  let uuid: String
  var clients: [Client] = []
  /// The StartNotify calls that wait for the strap's answer.
  var starting: [CallToken] = []
  /// The AcquireNotify call that waits for the strap's answer.
  var acquiring: CallToken?
  /// The socket of AcquireNotify.
  var pipe: PipeToken?
  /// The client that has acquired, or is about to.
  var acquirer: String?
  var isNotifying = false
  /// Whether `NotifyAcquired` is true.
  var isAcquired = false
  var configuration = Configuration.off

  /// The number of registered clients; a value is emitted once for each.
  var registered: Int { clients.count { $0.isRegistered } }
}
