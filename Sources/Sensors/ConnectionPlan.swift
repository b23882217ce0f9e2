import Bits

/// The plan of connections, a pure value: which sensor to connect, when, and over which adapter. Each event of
/// adapters, devices and links is an input, and the answer is a list of commands.
///
/// The aims: every allowed sensor that advertises is recorded, at once after a loss and for ever; a sensor that does
/// not advertise costs a running discovery and next to no wakeups; an adapter with few links, or one that cannot
/// connect while it scans, gets few calls instead of a storm.
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
  /// The sensors that may be recorded; changed by ``allow(_:at:)``.
  public internal(set) var allowed = AllowList()
  /// In ascending order.
  var adapters: [Adapter] = []
  /// One for each listed sensor, and under ``AllowList/Unlisted/any(atLeast:)`` for each that was heard; ascending.
  var sensors: [Sensor] = []
  var looks = Looks()
  var fatalCalls = FatalCalls()
  /// Whether another recorder, which goes first, runs on this machine.
  public internal(set) var givesPrecedence = false
  var random: SplitMix64

  /// Makes a plan without adapters and sensors. `seed` decides the jitter of the waiting times and nothing else.
  public init(parameters: Parameters = .standard, seed: UInt64) {
    self.parameters = parameters
    self.random = SplitMix64(seed: seed)
  }

  /// Replaces the list of allowed sensors. Links of sensors that are no longer allowed end, unless another program made
  /// them, and their values are not asked for any more.
  ///
  /// Of a sensor that is newly allowed the plan knows nothing: the owner then reports the sensor's device and links by
  /// ``deviceKnown(_:on:isShared:at:)``, ``linkUp(_:on:at:)`` and ``servicesResolved(_:on:at:)``.
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

  /// Ends the plan's links, attempts and discoveries, for a recorder that stops. No sensor is allowed afterwards.
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
  /// An action for the plan's owner, in the order of the list.
  public enum Command: Hashable, Sendable {
    /// Begin to look for sensors, or go on looking for these where a discovery runs on this adapter.
    case startDiscovery(on: AdapterIndex, Discovery)
    /// End the discovery on this adapter.
    case stopDiscovery(on: AdapterIndex)
    /// Call Connect. The call is answered exactly once, by ``ConnectionPlan/connectSucceeded(_:on:at:)`` or
    /// ``ConnectionPlan/connectFailed(_:on:_:at:)``, unless its adapter or bluetoothd goes first.
    case connect(SensorAddress, on: AdapterIndex)
    /// Call Disconnect: on a link that this plan made, or to cancel a Connect of its own; never on anybody else's.
    case disconnect(SensorAddress, on: AdapterIndex)
    /// The link is there and its values are wanted: subscribe as soon as the services are resolved.
    case follow(SensorAddress, on: AdapterIndex)
    /// The values are not wanted any more: of this sensor, or over this adapter since the link over another one is
    /// recorded now. An existing link stays as it is.
    case unfollow(SensorAddress, on: AdapterIndex)
    /// A link of another program has been silent for too long: subscribe anew.
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

  /// The advertisements to which a discovery listens.
  public enum Discovery: Hashable, Sendable {
    /// Sensors that advertise the Heart Rate Service (180D), as nearly all of them do.
    case heartRateService
    /// Everything, for a short while: finds a sensor that advertises nothing but its name.
    case everything
  }
}

extension ConnectionPlan {
  /// The state of one sensor, for people to read.
  public struct Standing: Hashable, Sendable {
    public var state: State
    /// When this state began.
    public var since: BootInstant
    /// The instant of the next attempt, where that is known; nil also means "as soon as the sensor is heard".
    public var nextTry: BootInstant?

    /// The states of a sensor, from silence to a recorded link.
    public enum State: Hashable, Sendable {
      /// Not heard; connected as soon as it is heard.
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

  /// The state of this sensor; nil for one that is not allowed.
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
