import Bits

/// Whom to connect, when, and over which adapter: pure. It hears of everything that happens, and answers with what
/// to do.
///
/// What it aims at: every allowed sensor that advertises is recorded, at once after a loss and for ever; a sensor that
/// does not advertise costs a running discovery and next to no wakeups; an adapter with few links, or one that cannot
/// connect while it scans, is met with patience instead of a storm of calls.
///
/// Every input is a mutating method that returns the commands which follow from it, mostly none. The owner carries them
/// out in order, reports how they ended, and calls ``timeReached(_:)`` at ``deadline``, which it asks for again after
/// each input other than ``valueReceived(from:at:)``.
///
/// Rules and their reasons:
/// - A sensor has at most one attempt and one recorded link at a time. A second link, over another adapter, is refused:
///   an address can be cloned.
/// - After a loss Connect is called at once: the object is still there, and a pending Connect keeps it from expiring.
///   Where that was in vain (40 s), the sensor is away: from then on it is connected when discovery hears it.
/// - Failures while a sensor is heard are retried after doubling waits. It is never given up.
/// - A link that this plan did not make, or whose values another program has, is used and never ended; a device that others
///   share is not even connected.
/// - Where another recorder goes first, the values of a link are asked for a second after its services are known, until they
///   have come to this one all the same.
/// - Where BlueZ must not be asked to filter services, discovery brings each advertisement of each neighbour: a sensor that
///   BlueZ knows is waited for by one pending Connect after the other, which the kernel does in silence, and only for others
///   there are short looks.
public struct ConnectionPlan: Sendable {
  public let parameters: Parameters
  /// Whose sensors may be recorded; changed by ``allow(_:at:)``.
  public internal(set) var allowed = AllowList()
  /// In ascending order.
  var adapters: [Adapter] = []
  /// One for each listed sensor, and under ``AllowList/Unlisted/any(atLeast:)`` for each that was heard; ascending.
  var sensors: [Sensor] = []
  var looks = Looks()
  var fatalCalls = FatalCalls()
  /// Another recorder runs on this machine that goes first.
  public internal(set) var givesPrecedence = false
  var random: SplitMix64

  /// A plan that knows nothing yet. `seed` decides the jitter of the waiting times and nothing else.
  public init(parameters: Parameters = .standard, seed: UInt64) {
    self.parameters = parameters
    self.random = SplitMix64(seed: seed)
  }

  /// Replaces the list of allowed sensors. Links of sensors that are no longer allowed end, unless they are somebody
  /// else's, and none of them is followed any more.
  ///
  /// Of a sensor that is newly allowed the plan knows nothing: tell it afterwards, by ``deviceKnown(_:on:isShared:at:)``,
  /// ``linkUp(_:on:at:)`` and ``servicesResolved(_:on:at:)``, what BlueZ has of it.
  public mutating func allow(_ list: AllowList, at now: BootInstant) -> [Command] {
    var commands: [Command] = []
    allowed = list
    for index in sensors.indices.reversed() where !isStillAllowed(sensors[index]) {
      dismiss(index, at: now, &commands)
    }
    for address in list.addresses {
      if let index = index(of: address) {
        sensors[index].isDismissed = false
      } else {
        insert(Sensor(address: address, since: now))
      }
    }
    return reconcile(at: now, commands)
  }

  /// Ends what this plan began, for a recorder that stops: its links, its attempts, its discovery. Nothing is allowed
  /// any more afterwards.
  public mutating func finish(at now: BootInstant) -> [Command] {
    allow(AllowList(), at: now)
  }

  private func isStillAllowed(_ sensor: Sensor) -> Bool {
    if allowed.contains(sensor.address) { return true }
    guard case .any(let threshold) = allowed.unlisted else { return false }
    return sensor.presences.contains { ($0.rssi ?? .min) >= threshold }
  }

  mutating func dismiss(_ index: Int, at now: BootInstant, _ commands: inout [Command]) {
    sensors[index].isDismissed = true
    switch sensors[index].phase {
    case .connecting(let attempt): cancel(attempt, of: index, at: now, &commands)
    case .linked(let link) where mayDisconnect(link, index): leave(link.adapter, index, at: now, &commands)
    case .searching, .linked, .leaving: break
    }
    unfollow(index, &commands)
    removeIfDone(index)
  }
}

extension ConnectionPlan {
  /// What is to be done now, in the order of the list.
  public enum Command: Hashable, Sendable {
    /// Begin to look for sensors, or go on looking for these where a discovery runs on this adapter.
    case startDiscovery(on: AdapterIndex, Discovery)
    /// End it.
    case stopDiscovery(on: AdapterIndex)
    /// Call Connect. It is answered exactly once, by ``ConnectionPlan/connectSucceeded(_:on:at:)`` or
    /// ``ConnectionPlan/connectFailed(_:on:_:at:)``, unless its adapter or bluetoothd goes first.
    case connect(SensorAddress, on: AdapterIndex)
    /// Call Disconnect: on a link that this plan made, or to cancel a Connect of its own; never on anybody else's.
    case disconnect(SensorAddress, on: AdapterIndex)
    /// The link is there and its values are wanted: subscribe as soon as the services are resolved.
    case follow(SensorAddress, on: AdapterIndex)
    /// The values are not wanted any more: of this sensor, or over this adapter since another one's link is recorded now. The
    /// link, where there is one, stays as it is.
    case unfollow(SensorAddress, on: AdapterIndex)
    /// A link that is somebody else's has been silent for too long: subscribe anew.
    case resubscribe(SensorAddress, on: AdapterIndex)
    /// The services of its links were not resolved in time, twice in a row: worth a warning, since BlueZ may remember
    /// them wrongly. It is tried again after growing waits.
    case unresolved(SensorAddress, on: AdapterIndex)
    /// A second link of a sensor that is recorded over `recordedOn` already. It is not recorded; worth a warning, since
    /// an address can be cloned.
    case refuse(SensorAddress, on: AdapterIndex, recordedOn: AdapterIndex)
    /// bluetoothd died right after a call of this plan: worth a warning.
    case blame(FatalCalls.Verdict)
  }

  /// What a discovery listens to.
  public enum Discovery: Hashable, Sendable {
    /// Sensors that advertise the Heart Rate Service (180D): what nearly all of them do.
    case heartRateService
    /// Everything, for a short while: finds a sensor that advertises nothing but its name.
    case everything
  }
}

extension ConnectionPlan {
  /// How one sensor stands, for people to read.
  public struct Standing: Hashable, Sendable {
    public var state: State
    /// When this state began.
    public var since: BootInstant
    /// When it is tried again, where that is known; nil also means "as soon as it is heard".
    public var nextTry: BootInstant?

    /// Where a sensor is between silence and a recorded link.
    public enum State: Hashable, Sendable {
      /// Not heard; it is connected when it is.
      case searching
      /// Heard, or worth a try, and waiting: for a retry, for others, or for a free link.
      case waiting
      case connecting(on: AdapterIndex)
      /// The link is up, its services are not known yet.
      case resolving(on: AdapterIndex)
      case linked(on: AdapterIndex, isOurs: Bool)
      /// The link is being ended.
      case leaving(on: AdapterIndex)
    }
  }

  /// How this sensor stands; nil for one that is not allowed.
  public func standing(of address: SensorAddress) -> Standing? {
    guard let index = index(of: address), !sensors[index].isDismissed else { return nil }
    let sensor = sensors[index]
    switch sensor.phase {
    case .searching:
      let isWaiting = sensor.isEager || sensor.presences.contains(where: \.isFresh)
      return Standing(
        state: isWaiting ? .waiting : .searching, since: sensor.since, nextTry: isWaiting ? sensor.notBefore : nil)
    case .connecting(let attempt):
      return Standing(state: attempt.isVigil ? .searching : .connecting(on: attempt.adapter), since: sensor.since)
    case .linked(let link):
      let state =
        link.isResolved ? Standing.State.linked(on: link.adapter, isOurs: link.isOurs) : .resolving(on: link.adapter)
      return Standing(state: state, since: sensor.since)
    case .leaving(let adapter, _):
      return Standing(state: .leaving(on: adapter), since: sensor.since)
    }
  }

  /// Whether an adapter is known to hold no more links.
  public func isFull(_ adapter: AdapterIndex) -> Bool {
    adapterPosition(adapter).map { adapters[$0].fullUntil != nil } ?? false
  }
}
