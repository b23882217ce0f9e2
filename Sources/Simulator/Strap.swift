import GATTHeartRate

/// A virtual strap in the air: the state that it has by itself, without bluetoothd.
struct Strap {
  let profile: StrapProfile
  /// The strap's name in log lines.
  var address: String { profile.address }

  /// Whether it advertises while nobody is connected; false after it stopped for good.
  var isAvailable: Bool
  /// Whether it is advertising at this moment.
  var isAdvertising = false
  /// Whether its next advertisement is scheduled.
  var isAdvertisementEntered = false
  /// The adapter that holds the link.
  var link: Int?
  /// Counts links, to recognise events of an earlier one.
  var linkNumber = 0
  /// The characteristics the host has subscribed to on this link.
  var subscriptions: Set<String> = []
  /// Whether the link is encrypted.
  var isEncrypted = false
  /// Whether a host has keys for the strap.
  var isBonded: Bool

  var layout: GATTLayout
  var battery: UInt8
  var rssi: Int16
  /// The number of further links that resolve from a stale cache.
  var staleLinks: Int
  /// The number of further links that are lost as soon as they are made.
  var refusals = 0
  /// Packets held back; nil while packets are delivered.
  var stalled: [StalledPacket]?

  /// The index of the next timeline item.
  var position = 0
  /// When the timeline's clock started; nil before.
  var clockStart: SimulationInstant?
  /// The simulated heart of a strap without a timeline.
  var heart: PlausibleHeart?
  /// Whether its next notification is scheduled; only while it is subscribed.
  var isHeartEntered = false
  /// When the flood began.
  var floodStart: SimulationInstant?
  /// The number of flood values sent.
  var flooded = 0
  /// Whether the next flood value is scheduled; only while it is subscribed.
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

  /// The value for a read of the characteristic; nil if reading is not permitted.
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

/// Values from a strap that sends far more than a heart could. They are numbered, so that a lost or doubled value is found.
struct Flood: Hashable, Sendable {
  /// Values a second, 1...1000.
  var perSecond: Int
  /// The number of all values.
  var count: Int
  /// Additional bytes after each value, 0...500, which fill a recorder's journal.
  var trailing = 0

  /// The time at which value `number` is due, counted from the subscription.
  func due(_ number: Int) -> Duration { .microseconds(Int64(number) * 1_000_000 / Int64(perSecond)) }

  /// Value `number`, from 0: its energy field is the lower half of the number. The first value of each second has an RR
  /// interval.
  func value(_ number: Int) -> [UInt8] {
    HeartRateMeasurement(
      beatsPerMinute: UInt16(58 + number / perSecond % 5), contact: .detected,
      energyKilojoules: UInt16(truncatingIfNeeded: number),
      rrTicks: number % perSecond == 0 ? [UInt16(1012 + number / perSecond % 24)] : []
    ).encoded() + [UInt8](repeating: 0, count: number % perSecond == 0 ? 0 : trailing)
  }
}
