extension ConnectionPlan {
  /// One adapter, as far as planning needs it.
  struct Adapter: Hashable, Sendable {
    let index: AdapterIndex
    var isPowered: Bool
    /// Whether BlueZ filters services for a discovery; nil until that is known.
    var filtersServices: Bool?
    var discovery = DiscoveryState.off
    var discoveryRetry = Backoff()
    /// The end of the time without attempts while the adapter seems to hold no more links, unless a link ends before;
    /// otherwise nil.
    var fullUntil: BootInstant?
    var fullRetry = Backoff()
    /// Whether the adapter once connected with discovery stopped after a failure with discovery running.
    var connectsOnlyQuietly = false
  }

  enum DiscoveryState: Hashable, Sendable {
    case off
    case running(Discovery, since: BootInstant)
    /// The discovery did not start, or ended by itself.
    case failed(until: BootInstant)
  }

  /// One sensor that may be recorded.
  struct Sensor: Hashable, Sendable {
    let address: SensorAddress
    var phase = Phase.searching(notBefore: nil)
    /// When `phase` began.
    var since: BootInstant
    /// The knowledge of each adapter about the sensor.
    var presences: [Presence] = []
    var retry = Backoff()
    /// When the last attempt began.
    var lastTry: BootInstant?
    /// Whether an attempt is worthwhile although the sensor was not heard: it was there a moment ago, or BlueZ has
    /// just begun to know it.
    var isEager = false
    /// Whether the next attempt is made with discovery stopped, because the last one failed with discovery running.
    var wantsQuiet = false
    /// The kind of discovery that hears the sensor, where that is known.
    var foundBy: Discovery?
    /// Whether the last wait was for a sensor that no discovery hears: the wait ends, and the failures are forgotten,
    /// as soon as the sensor is heard.
    var waitsUnheard = false
    /// Whether the sensor demands to be paired: it did not answer the subscription. Until it is paired, or the wait is
    /// over, no link to it is used, so that the program that pairs it is not disturbed.
    var wantsPairing = false
    /// The adapter over which the plan last asked for the sensor's values, with or without a link, until it withdraws
    /// that.
    var followedOn: AdapterIndex?
    /// The number of links in a row whose services were not resolved in time.
    var unresolved = 0
    /// The number of silent links in a row.
    var silences = 0
    /// Whether the sensor is no longer allowed; it stays here only until its link or attempt has ended.
    var isDismissed = false
    /// Whether other programs use the sensor too (a game controller, say): the plan neither connects nor disconnects
    /// it.
    var isShared = false
    /// Whether the sensor's values came to this recorder although another one, which goes first, could have asked for
    /// them: the other one does not want them.
    var isLeftToUs = false

    init(address: SensorAddress, since: BootInstant) {
      self.address = address
      self.since = since
    }

    /// No attempt before this, while it is searched.
    var notBefore: BootInstant? {
      get { if case .searching(let notBefore) = phase { notBefore } else { nil } }
      set { if case .searching = phase { phase = .searching(notBefore: newValue) } }
    }
  }

  enum Phase: Hashable, Sendable {
    /// There is neither a link nor an attempt at one, and no attempt is made before that instant.
    case searching(notBefore: BootInstant?)
    case connecting(Attempt)
    case linked(Link)
    /// Disconnect was called on a link of ours, which is still up.
    case leaving(AdapterIndex, until: BootInstant)
  }

  struct Attempt: Hashable, Sendable {
    let adapter: AdapterIndex
    /// Whether discovery has been stopped for the whole attempt so far.
    var isQuiet: Bool
    /// Whether the attempt needs a stopped discovery, since one with discovery running has failed.
    let needsQuiet: Bool
    /// Whether the attempt is young enough to hold up others; see ``Parameters/attentiveTime``.
    var isAttentive: Bool
    /// Whether the attempt was made without a sign of the sensor, in place of a discovery.
    let isVigil: Bool
  }

  struct Link: Hashable, Sendable {
    let adapter: AdapterIndex
    let isOurs: Bool
    /// Whether a value has come over the link.
    var hasValue = false
    /// Whether another program has the values: then the link, whoever made it, is left alone.
    var isUsedElsewhere = false
    /// The instant at which the plan asks for the link's values, where another recorder goes first.
    var followAt: BootInstant?
    /// The watch for silence; nil until the services are resolved, since before that no value can come.
    var watch: SilenceWatch?

    var isResolved: Bool { watch != nil }
  }

  /// The start of a possible silence, and the instant of the next check.
  struct SilenceWatch: Hashable, Sendable {
    var quietSince: BootInstant
    var checkAt: BootInstant
  }

  /// The knowledge of one adapter about one sensor.
  struct Presence: Hashable, Sendable {
    let adapter: AdapterIndex
    /// Whether BlueZ has an object for the sensor, so that the sensor can be connected.
    var isKnown = false
    /// Whether the sensor was heard since the last attempt began.
    var isFresh = false
    var lastSeen: BootInstant?
    var rssi: Int16?
    var isLinked = false
    /// A Connect whose answer is still to come: until then there is no second one.
    var call: Call?
  }

  /// A Connect that was called; `until`: when its answer is given up.
  enum Call: Hashable, Sendable {
    case pending(until: BootInstant)
    /// Disconnect was called to end it; a link that comes up all the same is going down again.
    case canceled(until: BootInstant)

    var until: BootInstant {
      switch self {
      case .pending(let until), .canceled(let until): until
      }
    }

    var isCanceled: Bool {
      if case .canceled = self { true } else { false }
    }
  }

  /// The times of looks, in which the plan listens to everything that advertises.
  struct Looks: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
      /// Nothing is missing, or nothing could be heard.
      case off
      case waiting(until: BootInstant)
      case looking(until: BootInstant)
    }

    var phase = Phase.off
    var retry = Backoff()

    var isLooking: Bool {
      if case .looking = phase { true } else { false }
    }

    /// The instant at which the phase ends; nil for ``Phase/off``.
    var deadline: BootInstant? {
      switch phase {
      case .off: nil
      case .waiting(let until), .looking(let until): until
      }
    }
  }
}

extension ConnectionPlan {
  /// The position of a sensor in ``sensors``; by bisection, since each notification and each advertisement needs it.
  func index(of address: SensorAddress) -> Int? {
    var low = 0
    var high = sensors.count
    while low < high {
      let middle = (low + high) / 2
      if sensors[middle].address < address { low = middle + 1 } else { high = middle }
    }
    return low < sensors.count && sensors[low].address == address ? low : nil
  }

  mutating func insert(_ sensor: Sensor) {
    let position = sensors.firstIndex { $0.address > sensor.address } ?? sensors.endIndex
    sensors.insert(sensor, at: position)
  }

  func adapterPosition(_ index: AdapterIndex) -> Int? {
    adapters.firstIndex { $0.index == index }
  }

  /// The position of a sensor's presence on `adapter`, which is made if it is missing.
  mutating func presencePosition(_ sensor: Int, on adapter: AdapterIndex) -> Int {
    if let position = sensors[sensor].presences.firstIndex(where: { $0.adapter == adapter }) { return position }
    sensors[sensor].presences.append(Presence(adapter: adapter))
    return sensors[sensor].presences.endIndex - 1
  }

  mutating func enter(_ phase: Phase, _ sensor: Int, at now: BootInstant) {
    sensors[sensor].phase = phase
    sensors[sensor].since = now
  }

  /// Whether an allowed sensor is without a link that this plan could make.
  var isSensorMissing: Bool {
    sensors.contains { sensor in
      switch sensor.phase {
      case .searching, .connecting: isConnectable(sensor)
      case .linked, .leaving: false
      }
    }
  }

  /// Whether this plan may make a link to this sensor at all.
  func isConnectable(_ sensor: Sensor) -> Bool {
    !sensor.isDismissed && !sensor.isShared && !fatalCalls.isGivenUp(.connect(sensor.address))
  }

  /// Whether a sensor that is not listed could be recorded.
  var isOpenToStrangers: Bool {
    if case .any = allowed.unlisted { sensors.count < AllowList.capacity } else { false }
  }

  /// Whether a discovery on this adapter would bring each advertisement of each neighbour, so that it is made for looks only.
  func isUnfiltered(_ adapter: Adapter) -> Bool {
    adapter.filtersServices == false || fatalCalls.isGivenUp(.filteredDiscovery) || fatalCalls.isGivenUp(.discovery)
  }

  func isUnfiltered(_ adapter: AdapterIndex) -> Bool {
    adapterPosition(adapter).map { isUnfiltered(adapters[$0]) } ?? false
  }

  /// Whether looks are the only discovery there is.
  var looksOnly: Bool { adapters.contains { $0.isPowered && isUnfiltered($0) } }

  /// Forgets a sensor that is no longer allowed, once nothing of it is under way.
  mutating func removeIfDone(_ index: Int) {
    let sensor = sensors[index]
    guard sensor.isDismissed, !sensor.presences.contains(where: { $0.call != nil }) else { return }
    if case .leaving = sensor.phase { return }
    sensors.remove(at: index)
  }
}
