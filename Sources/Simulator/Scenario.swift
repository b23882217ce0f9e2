/// A scenario for the simulator: straps, adapters, and the events that befall them.
///
/// The format is the lab's, so that both play the same file; `Scenario(json:)` decodes it.
struct Scenario: Hashable, Sendable {
  /// The straps, in the order of the file.
  var straps: [StrapProfile]
  /// The events of the host; the timeline's clock starts with the simulator.
  var timeline: [ScenarioItem] = []
  /// The address of the adapter that exists from the start.
  var adapter = "00:1B:DC:00:00:01"
  /// The number of links that an adapter holds.
  var connections = 99
  /// The order in which bluetoothd signals a new link.
  var resolveOrder = ResolveOrder.mixed
  /// Whether an adapter reports each advertiser only once in a discovery.
  var filtersDuplicates = false
  /// Whether an adapter refuses to connect while it scans.
  var isBusyWhileScanning = false
  /// Whether bluetoothd signals why a link ended, as it does since 5.82.
  var signalsReasons = false
  var release = BlueZRelease.debian12
  /// Whether bluetoothd ends (SIGSEGV) when a strap advertises while a discovery has a filter with `UUIDs`, as 5.87 does; after a
  /// moment it is started again, as by the next call of a program.
  var diesOfServiceFilters = false
}

/// A version of BlueZ, as far as its answer to GetDiscoveryFilters.
enum BlueZRelease: String, Hashable, Sendable, CaseIterable {
  case debian12 = "5.66"
  case debian13 = "5.82"
  case unstable = "5.87"

  /// The filters that SetDiscoveryFilter understands, in bluetoothd's order.
  var discoveryFilters: [String] {
    ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"]
      + (self == .unstable ? ["AutoConnect"] : [])
  }
}

/// The order of the reply to Connect, `Connected: true` and `ServicesResolved: true`. All of them were observed, except
/// where noted.
enum ResolveOrder: String, Hashable, Sendable, CaseIterable {
  /// Connected, objects, resolved, the battery, then the reply.
  case usual
  /// Connected, the reply, the battery, objects, resolved.
  case early
  /// Objects, resolved and the reply, and only then Connected.
  case late
  /// Objects, resolved, the battery and the reply: Connected becomes true without a signal.
  case untold
  /// ServicesResolved is signalled before the objects exist. Known from public reports only, so `mixed` leaves it out.
  case hollow
  /// Any of the others, chosen by the seed: mostly the usual one.
  case mixed
}

/// A virtual strap as the scenario describes it.
struct StrapProfile: Hashable, Sendable {
  /// Whether the strap's address is a public or a random one.
  enum AddressType: String, Hashable, Sendable, CaseIterable {
    case random, `public`
  }

  /// When the strap's timeline begins.
  enum Clock: String, Hashable, Sendable, CaseIterable {
    /// When a client first subscribes to the heart rate.
    case subscribe
    /// With the simulator.
    case start
  }

  /// A strap's method of pairing.
  enum Pairing: String, Hashable, Sendable, CaseIterable {
    /// Nothing is compared or entered.
    case justWorks
    /// The strap shows 123456, which has to be entered on the host.
    case passkey
    /// The host shows 123456, which somebody enters on the strap.
    case display
    /// Both show 123456.
    case confirm
    /// The strap refuses.
    case refuse
    /// The strap never answers.
    case silent

    /// The passkey of every simulated strap.
    static let code: UInt32 = 123_456
  }

  /// The source of the strap's values.
  enum Source: Hashable, Sendable {
    /// The scenario.
    case timeline([ScenarioItem])
    /// A simulated heart that never stops.
    case heart
    /// Numbered values, far faster than a heart.
    case flood(Flood)
  }

  var name = "Lab HRM"
  /// Six pairs of upper-case hexadecimal digits.
  var address = "C0:FF:EE:00:00:01"
  var addressType = AddressType.random
  /// Percent.
  var battery: UInt8 = 87
  /// Body sensor location as assigned: 1 is the chest.
  var location: UInt8 = 1
  /// dBm.
  var rssi: Int16 = -55
  /// The advertising interval.
  var advertisingInterval = Duration.milliseconds(100)
  /// The manufacturer data in the advertisement: company identifier, then bytes.
  var manufacturer: [UInt8] = [0x6B, 0x00, 0x01, 0x02, 0x03, 0x04]
  /// The services in the advertisement, as 16 bit UUIDs.
  var advertisedServices: [UInt16] = [0x180D, 0x180F]
  var clock = Clock.subscribe
  /// Whether it advertises from the start.
  var advertises = true
  /// The method of pairing, if a subscription needs an encrypted link; otherwise nil.
  var pairing: Pairing?
  /// Whether it has a control point, as sensors that measure energy do.
  var hasControlPoint = true
  /// Whether it has the Service Changed characteristic.
  var hasServiceChanged = true
  /// The number of characteristics before the heart rate service.
  var shift = 0
  /// The number of links whose services come from a cache that lacks the heart rate service.
  var staleLinks = 0
  /// Whether BlueZ knows it from before, with its keys.
  var isBonded = false
  /// Whether it also has the HID service of a game controller, which the system uses itself.
  var hasInputService = false
  /// The number of values sent before the answer to the subscription.
  var eagerValues = 0
  var source = Source.timeline([])
}

/// One item of a scenario: a value or an event at its time.
struct ScenarioItem: Hashable, Sendable {
  /// Seconds on its timeline's clock; nil for a live item, which happens at once.
  var time: Double?
  /// The address of the strap, if it is not the one whose timeline this is.
  var strap: String?
  /// The event or value of the item.
  var action: Action

  /// The kinds of items.
  enum Action: Hashable, Sendable {
    /// The strap sends this heart rate measurement.
    case value([UInt8])
    /// An event of a strap.
    case strap(StrapEvent)
    /// An event of the host.
    case machine(MachineEvent)
  }
}

/// An event of a strap.
enum StrapEvent: Hashable, Sendable {
  /// Disconnects and stays silent.
  case disconnect
  /// Disappears without disconnecting, and stays silent.
  case vanish
  /// Advertises again.
  case advertise
  /// Disconnects and advertises at once.
  case drop
  /// Stops advertising; a link stays.
  case cease
  /// Disconnects and stops for good.
  case stop
  /// A new battery level, percent.
  case battery(UInt8)
  /// A new signal strength, dBm.
  case rssi(Int16)
  /// The next so many links are lost as soon as they are made (HCI error 0x3E).
  case refuse(Int)
  /// Packets are held back from here on …
  case stall
  /// … and now all are delivered at once.
  case resume
  /// A firmware update: `shift` characteristics before the heart rate service; `tell` is whether a connected host
  /// receives a notice.
  case gatt(shift: Int, tell: Bool)
}

/// An event of the host.
enum MachineEvent: Hashable, Sendable {
  /// bluetoothd gets a signal or is started.
  case bluetoothd(DaemonAction)
  /// An adapter (`hci0`) is switched on or off.
  case power(on: Bool, adapter: String)
  /// Discovery gets stuck: no device is found and no client can start another one, until bluetoothd is restarted.
  case stickDiscovery
  /// Discovery ends by itself, and `Discovering` changes; its client has to stop it before it can start another.
  case haltDiscovery
  /// Another program removes the strap's device object.
  case remove(adapter: String)
  /// An adapter is plugged in, by its address.
  case plug(adapter: String)
  /// An adapter is unplugged, by its address.
  case unplug(adapter: String)
  /// Another client on the bus does something with the strap; `uuid` is the characteristic.
  case client(ClientAction, adapter: String, uuid: String?)

  /// The actions on bluetoothd.
  enum DaemonAction: String, Hashable, Sendable, CaseIterable {
    /// SIGTERM: removes its objects and leaves.
    case terminate = "TERM"
    /// SIGKILL: ends at once.
    case kill = "KILL"
    /// SIGSTOP: freezes.
    case stop = "STOP"
    /// SIGCONT: continues with the events that have accumulated.
    case proceed = "CONT"
    /// Is started again.
    case start = "start"
  }

  /// The actions of another program.
  enum ClientAction: String, Hashable, Sendable, CaseIterable {
    case subscribe, unsubscribe, acquire, read, leave, discover, connect, disconnect, pair, agent
  }
}
