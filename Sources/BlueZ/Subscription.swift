/// Keeps the values of one characteristic coming, on one link: pure, one for each followed device.
///
/// AcquireNotify comes first, since its descriptor gives every value once and keeps those that arrive together with the
/// end of the link. A descriptor is refused while any program has called StartNotify; then that program's signals reach
/// us too, and to ask for our own would double each value for it (``SubscriptionMode/shared``). StartNotify is for a
/// BlueZ or a characteristic that gives no descriptor.
///
/// A value comes through the descriptor or as signals, never both: BlueZ refuses the one while the other is in use.
struct Subscription: Hashable, Sendable {
  /// An action for the driver; actions are done in order.
  enum Action: Hashable, Sendable {
    case acquireNotify(CharacteristicPath, ticket: Int)
    case startNotify(CharacteristicPath, ticket: Int)
    case stopNotify(CharacteristicPath)
    /// Tell what is still in the descriptor, and close it.
    case closeDescriptor
    /// Close the descriptor that came too late, unread.
    case discardDescriptor
    /// Call Peer.Ping on bluetoothd, then ``Subscription/handleFence()``.
    case fence
    /// Call ``Subscription/handleTimer(ticket:)`` after this time.
    case schedule(ticket: Int, milliseconds: Int)
    case notification(Notification)
    case subscribed(SubscriptionMode)
    case unsubscribed
    case failed(SubscriptionFailure)
  }

  enum State: Hashable, Sendable {
    /// The characteristic is not there, or its link is not.
    case idle
    case acquiring
    case acquired
    case starting
    case started
    /// Another program notifies.
    case shared
    /// Another program has the descriptor.
    case blocked
    /// BlueZ refused the subscription; the next try is scheduled.
    case waiting
  }

  /// Longer than any answer from a sensor that needs no pairing: the ATT transaction timeout (Core Specification, Vol 3,
  /// Part F, 3.3.3) is 30 s, of which a healthy link needs a fraction.
  static let answerLimitMilliseconds = 20_000
  static let longestRetryMilliseconds = 10_000
  /// Values emitted before it is known whether they will be ours; beyond this the oldest go.
  private static let earlyLimit = 64

  var state = State.idle
  private(set) var characteristic: CharacteristicPath?
  private(set) var isNotifying = false
  private(set) var isNotifyAcquired = false
  /// Of the call or timer whose outcome is awaited; outcomes with another are out of date.
  var ticket = 0
  var refusals = 0
  /// This BlueZ, or this characteristic, gives no descriptor.
  var prefersSignals = false
  private var hasFence = false
  private var emissions = EmissionCounter()
  private var early: [Emission] = []

  /// The characteristic is there and its link is up.
  mutating func begin(_ found: Characteristic) -> [Action] {
    var actions = characteristic == nil ? [] : end()
    characteristic = found.path
    isNotifying = found.isNotifying
    isNotifyAcquired = found.isNotifyAcquired
    refusals = 0
    prefersSignals = false
    actions += attempt()
    return actions
  }

  /// Ends with the link or the characteristic. Values that have arrived in the descriptor still count.
  mutating func end() -> [Action] {
    let actions: [Action] = state == .acquired ? [.closeDescriptor] : []
    var ended = Subscription()
    ended.ticket = ticket + 1
    ended.hasFence = hasFence
    self = ended
    return actions
  }

  /// Nobody wants the values any more while the link stays: gives back what was asked for.
  mutating func cancel() -> [Action] {
    let asked = state == .started || state == .starting
    let path = characteristic
    return end() + (asked ? path.map { [.stopNotify($0)] } ?? [] : [])
  }

  /// Handles a change of the subscribers in the mirror.
  mutating func update(_ found: Characteristic) -> [Action] {
    let (wasNotifying, wasAcquired) = (isNotifying, isNotifyAcquired)
    isNotifying = found.isNotifying
    isNotifyAcquired = found.isNotifyAcquired
    switch state {
    case .waiting where isNotifying: return share()
    case .blocked where wasAcquired && !isNotifyAcquired: return attempt()
    case .blocked where isNotifying: return share()
    case .shared where wasNotifying && !isNotifying, .started where wasNotifying && !isNotifying:
      return lose()
    default: return []
    }
  }

  /// The descriptor is at its end, and every packet before has been handled.
  mutating func handleDescriptorEnd() -> [Action] {
    guard state == .acquired else { return [] }
    return [.closeDescriptor] + lose()
  }

  /// A value was emitted as a signal. Not to be called with an unread descriptor: its packets are earlier.
  mutating func handle(_ emission: Emission) -> [Action] {
    switch state {
    case .starting, .started, .shared:
      return count(emission)
    case .acquiring, .waiting, .blocked:
      if isNotifying { return count(emission) }
      // Another program's notification, or a value that was read? The answer to our request will show.
      if early.count == Self.earlyLimit { early.removeFirst() }
      early.append(emission)
      return []
    case .idle, .acquired:
      // Somebody read the characteristic: while we have the descriptor, nothing else emits a value.
      return []
    }
  }

  /// Every copy of what was emitted before the fence is there.
  mutating func handleFence() -> [Action] {
    hasFence = false
    return emissions.handleFence().map { .notification($0) }
  }

  private mutating func count(_ emission: Emission) -> [Action] {
    var actions: [Action] = emissions.handle(emission).map { .notification($0) }
    if emissions.needsFence, !hasFence {
      hasFence = true
      actions.append(.fence)
    }
    return actions
  }

  /// Takes part in another program's subscription.
  mutating func share() -> [Action] {
    state = .shared
    ticket += 1
    refusals = 0
    let held = early
    early = []
    return [.subscribed(.shared)] + held.flatMap { count($0) }
  }

  /// Forgets the values that were held back: they turned out not to be notifications.
  mutating func forgetEarly() {
    early = []
  }

  private mutating func lose() -> [Action] {
    emissions = EmissionCounter()
    refusals = 0
    return [.unsubscribed] + attempt()
  }

  /// Whether another program has the values, or has asked for signals of them.
  var isElsewhere: Bool {
    switch state {
    case .shared, .blocked: true
    case .acquiring, .waiting: isNotifying || isNotifyAcquired && state == .waiting
    case .idle, .acquired, .starting, .started: false
    }
  }

  /// Whether values come.
  var isSubscribed: Bool { state == .acquired || state == .started || state == .shared }
}

/// The way in which the values of a characteristic come; each loses something else.
///
/// Source: BlueZ `doc/gatt-api.txt`, and what was seen of 5.66: a descriptor loses what the sensor sends before the
/// subscription is confirmed; signals lose what arrives together with the end of the link, and come once for every
/// subscribed program.
public enum SubscriptionMode: Hashable, Sendable {
  /// A descriptor of our own (AcquireNotify): every value once.
  case acquired
  /// Signals that we asked for (StartNotify), counted by ``EmissionCounter``.
  case started
  /// Signals that another program asked for; asking too would double each value for that program.
  case shared
}

/// Why no values come from a sensor although its link is up. Trying goes on in every case.
public enum SubscriptionFailure: Hashable, Sendable {
  /// The device has no such characteristic, or BlueZ's memory of it is stale.
  case characteristicMissing
  /// Another program holds the only descriptor.
  case acquiredElsewhere
  /// No answer within the limit: the sensor wants to be paired and no agent is there to do it.
  case unanswered
  /// The bus's policy forbids it.
  case accessDenied
  /// BlueZ refuses, with this D-Bus error name.
  case refused(name: String)
}
