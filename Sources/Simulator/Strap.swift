/// A virtual strap in the air: what it does of its own accord, whoever listens.
struct Strap {
  let profile: StrapProfile
  /// Its name in log lines.
  var address: String { profile.address }

  /// Whether it wants to be found when nobody is connected; a goodbye for good clears it.
  var isAvailable: Bool
  /// Whether it is advertising at this moment.
  var isAdvertising = false
  /// Whether the next advertisement is entered in the agenda.
  var isAdvertisementEntered = false
  /// The adapter that holds the link.
  var link: Int?
  /// Counts links, so that what belongs to an earlier one is recognised.
  var linkNumber = 0
  /// The characteristics the host has subscribed to on this link.
  var subscriptions: Set<String> = []
  /// Whether the link is encrypted.
  var isEncrypted = false
  /// Whether a host keeps keys for it.
  var isBonded: Bool

  var layout: GATTLayout
  var battery: UInt8
  var rssi: Int16
  /// So many links still resolve from a stale cache.
  var staleLinks: Int
  /// So many links are still lost as soon as they are made.
  var refusals = 0
  /// What waits for the air to clear; nil when nothing is held back.
  var stalled: [StalledPacket]?

  /// The next item of the timeline.
  var position = 0
  /// When the timeline's clock began; nil before.
  var clockStart: SimulationInstant?
  /// The heart of a strap that has no timeline.
  var heart: PlausibleHeart?
  /// Whether its next notification is entered in the agenda; without a subscription it is not.
  var isHeartEntered = false
  /// When it began to flood.
  var floodStart: SimulationInstant?
  /// How many values of its flood it has sent.
  var flooded = 0
  /// Whether the next of them is entered in the agenda; without a subscription it is not.
  var isFloodEntered = false

  /// A packet held back.
  struct StalledPacket {
    let uuid: String
    let bytes: [UInt8]
    let link: Int
    let number: Int?
  }

  init(profile: StrapProfile, heart: PlausibleHeart?) {
    self.profile = profile
    self.heart = heart
    isAvailable = profile.advertises
    layout = GATTLayout(profile, shift: profile.shift)
    isBonded = profile.isBonded
    staleLinks = profile.staleLinks
    battery = profile.battery
    rssi = profile.rssi
  }

  /// What a read of the characteristic gives; nil where reading is not permitted.
  func value(of uuid: String) -> [UInt8]? {
    switch uuid {
    case GATTLayout.batteryLevel: [battery]
    case GATTLayout.uuid(0x2A38): [profile.location]
    case GATTLayout.uuid(0x2A29): Array("Virtual".utf8)
    case GATTLayout.uuid(0x2A24): Array("Strap 1".utf8)
    case GATTLayout.uuid(0x2A25): Array(address.filter { $0 != ":" }.utf8)
    case GATTLayout.uuid(0x2A26): Array("1.0".utf8)
    case GATTLayout.uuid(0x2B29): [0]
    case GATTLayout.uuid(0x2B2A): Array(repeating: UInt8(truncatingIfNeeded: layout.services.count), count: 16)
    case GATTLayout.measurement, GATTLayout.uuid(0x2A39), GATTLayout.uuid(0x2A05): nil
    default: []
    }
  }
}
