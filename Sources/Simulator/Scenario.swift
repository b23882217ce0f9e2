/// What the simulator plays: straps, adapters, and what happens to them.
///
/// The form is the lab's, so that one file is played by both; `Scenario(json:)` reads it.
struct Scenario: Hashable, Sendable {
  /// The straps, in the order of the file.
  var straps: [StrapProfile]
  /// What happens to the machine; its clock starts with the simulator.
  var timeline: [ScenarioItem] = []
  /// The address of the adapter that is there from the beginning.
  var adapter = "00:1B:DC:00:00:01"
  /// How many links an adapter holds.
  var connections = 99
  /// In which order bluetoothd tells of a new link.
  var resolveOrder = ResolveOrder.mixed
  /// Whether an adapter reports each advertiser only once in a discovery.
  var filtersDuplicates = false
  /// Whether an adapter refuses to connect while it scans.
  var isBusyWhileScanning = false
  /// Whether bluetoothd tells why a link ended, as it does since 5.83.
  var tellsReasons = false
}

/// In which order the reply to Connect, `Connected: true` and `ServicesResolved: true` come: all have been seen.
enum ResolveOrder: String, Hashable, Sendable, CaseIterable {
  /// Connected, objects, resolved, the battery, then the reply.
  case usual
  /// Connected, the reply, the battery, objects, resolved.
  case early
  /// Objects, resolved and the reply, and only then Connected.
  case late
  /// Objects, resolved, the battery and the reply: Connected is never told, though it is true.
  case untold
  /// ServicesResolved is told before the objects are there: only reported in public, therefore not among the mixed.
  case hollow
  /// Any of the others, drawn by the seed: mostly the usual one.
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

  /// How a strap is paired, and whether it lets itself.
  enum Pairing: String, Hashable, Sendable, CaseIterable {
    /// Nothing is compared or entered.
    case justWorks
    /// It shows 123456, which has to be entered on the host.
    case passkey
    /// The host shows 123456, which somebody enters on the strap.
    case display
    /// Both show 123456.
    case confirm
    /// It refuses.
    case refuse
    /// It never answers.
    case silent

    /// What a passkey is here.
    static let code: UInt32 = 123_456
  }

  /// Where the strap's values come from.
  enum Source: Hashable, Sendable {
    /// The scenario.
    case timeline([ScenarioItem])
    /// A plausible heart that never stops.
    case heart
    /// Numbered values, far faster than any heart.
    case flood(Flood)
  }

  var name = "Lab HRM"
  /// Six upper-case pairs of hexadecimal digits.
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
  /// The manufacturer's data in the advertisement: company identifier, then bytes.
  var manufacturer: [UInt8] = [0x6B, 0x00, 0x01, 0x02, 0x03, 0x04]
  /// The services in the advertisement, as 16 bit identifiers.
  var advertisedServices: [UInt16] = [0x180D, 0x180F]
  var clock = Clock.subscribe
  /// Whether it advertises from the beginning.
  var advertises = true
  /// How it is paired, where subscribing needs an encrypted link; nil where it does not.
  var pairing: Pairing?
  /// Whether it has a control point, which sensors that count energy have.
  var hasControlPoint = true
  /// Whether it has the service that tells of changes.
  var hasServiceChanged = true
  /// So many characteristics stand before the heart rate service.
  var shift = 0
  /// So many links resolve from a cache that lacks the heart rate service.
  var staleLinks = 0
  /// Whether BlueZ knows it from before, with its keys.
  var isBonded = false
  /// Whether it is a controller for games as well, with the service that the system takes for itself.
  var hasInputService = false
  /// So many values are sent before the answer to the subscription.
  var eagerValues = 0
  var source = Source.timeline([])
}
