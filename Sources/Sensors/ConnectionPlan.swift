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
