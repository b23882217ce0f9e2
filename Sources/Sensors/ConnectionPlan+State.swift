extension ConnectionPlan {
  /// One adapter, as far as planning needs it.
  struct Adapter: Hashable, Sendable {
    let index: AdapterIndex
    var isPowered: Bool
    /// Whether BlueZ filters services for a discovery; nil until it has said.
    var filtersServices: Bool?
    var discovery = DiscoveryState.off
    var discoveryRetry = Backoff()
    /// Set while it holds no more links, as far as is known: no attempts until a link ends or this comes.
    var fullUntil: BootInstant?
    var fullRetry = Backoff()
    /// Learned: it connected with its discovery stopped after it had failed to with it running.
    var connectsOnlyQuietly = false
  }

  enum DiscoveryState: Hashable, Sendable {
    case off
    case running(Discovery, since: BootInstant)
    /// It did not start, or ended by itself.
    case failed(until: BootInstant)
  }

  /// One sensor that may be recorded.
  struct Sensor: Hashable, Sendable {
    let address: SensorAddress
    var phase = Phase.searching(notBefore: nil)
    /// When `phase` began.
    var since: BootInstant
    /// What each adapter knows of it.
    var presences: [Presence] = []
    var retry = Backoff()
    /// When the last attempt began.
    var lastTry: BootInstant?
    /// Worth an attempt although it was not heard: it was there a moment ago, or BlueZ has just begun to know it.
    var isEager = false
    /// The last attempt failed with discovery running: try the next one with discovery stopped.
    var wantsQuiet = false
    /// Which kind of discovery hears it, where that is known.
    var foundBy: Discovery?
    /// The last wait was for a sensor that nothing hears: it is over, and the failures forgotten, as soon as the sensor is
    /// heard.
    var waitsUnheard = false
    /// It did not answer the subscription: it demands to be paired. Until it is, or the wait is over, nobody's link to it
    /// is used, so that whoever pairs it is not disturbed.
    var wantsPairing = false
    /// The adapter over which its values were asked for last, link or not: they are asked for until that is withdrawn.
    var followedOn: AdapterIndex?
    /// Links in a row whose services were not resolved in time.
    var unresolved = 0
    /// Silent links in a row.
    var silences = 0
    /// Not allowed any more; only kept until its link or attempt has ended.
    var isDismissed = false
    /// Others use it too (a game controller, say): not connected and never disconnected.
    var isShared = false
    /// Its values came to us although a recorder that goes first was there to ask for them: that one does not want them.
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
    /// Made with discovery stopped, as far as it has lasted.
    var isQuiet: Bool
    /// It has to be made so, since one with discovery running has failed.
    let needsQuiet: Bool
    /// Young enough to hold up others; see ``Parameters/attentiveTime``.
    var isAttentive: Bool
    /// Made without a sign of the sensor, in place of a discovery.
    let isVigil: Bool
  }

  struct Link: Hashable, Sendable {
    let adapter: AdapterIndex
    let isOurs: Bool
    /// A value has come over it.
    var hasValue = false
    /// Another program has the values: the link, whoever made it, is left alone.
    var isUsedElsewhere = false
    /// When its values are asked for, where another recorder goes first.
    var followAt: BootInstant?
    /// Nil until the services are resolved: before, no value can come.
    var watch: SilenceWatch?

    var isResolved: Bool { watch != nil }
  }

  /// Since when silence counts, and when to look for it next.
  struct SilenceWatch: Hashable, Sendable {
    var quietSince: BootInstant
    var checkAt: BootInstant
  }

  /// What one adapter knows of one sensor.
  struct Presence: Hashable, Sendable {
    let adapter: AdapterIndex
    /// BlueZ has an object for it, so that it can be connected.
    var isKnown = false
    /// Heard since the last attempt began.
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

  /// When to listen for a while to everything that advertises.
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

    /// When the phase ends; nil while there is none.
    var deadline: BootInstant? {
      switch phase {
      case .off: nil
      case .waiting(let until), .looking(let until): until
      }
    }
  }
}

extension ConnectionPlan {
  /// Where a sensor stands; by bisection, since it is asked at each notification and each advertisement.
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

  /// Where the presence of a sensor on `adapter` stands; made where there is none yet.
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
