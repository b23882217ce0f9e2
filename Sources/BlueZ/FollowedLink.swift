/// The course of a link whose values are wanted: subscribe as soon as the services are resolved, read once, and
/// subscribe again when the services change. Pure.
struct FollowedLink: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    case subscription(Subscription.Action)
    /// Read the characteristics that are read once for each link, and publish the battery's level.
    case readOnce
    /// Call ``FollowedLink/handleMissing(ticket:)`` after this time.
    case scheduleMissing(ticket: Int, milliseconds: Int)
  }

  /// BlueZ can call services resolved before it has exported them.
  static let missingLimitMilliseconds = 5_000

  var subscription = Subscription()
  private var isResolved = false
  private var isMissing = false
  private var missingTicket = 0

  /// Compares with the mirror after each change of the device or its characteristics; `characteristic` is the one whose
  /// values are wanted, where it is there.
  mutating func observe(isResolved: Bool, characteristic: Characteristic?) -> [Action] {
    guard isResolved else {
      self.isResolved = false
      isMissing = false
      missingTicket += 1
      return wrap(subscription.end())
    }
    var actions: [Action] = []
    let isNew = !self.isResolved
    self.isResolved = true
    if let characteristic {
      isMissing = false
      let changes = subscription.characteristic != characteristic.path
      actions += wrap(changes ? subscription.begin(characteristic) : subscription.update(characteristic))
    } else {
      let wasSubscribed = subscription.isSubscribed
      actions += wrap(subscription.end())
      if wasSubscribed { actions.append(.subscription(.unsubscribed)) }
      if !isMissing {
        isMissing = true
        missingTicket += 1
        actions.append(.scheduleMissing(ticket: missingTicket, milliseconds: Self.missingLimitMilliseconds))
      }
    }
    if isNew { actions.append(.readOnce) }
    return actions
  }

  mutating func handleMissing(ticket: Int) -> [Action] {
    guard ticket == missingTicket, isMissing else { return [] }
    return [.subscription(.failed(.characteristicMissing))]
  }

  private func wrap(_ actions: [Subscription.Action]) -> [Action] {
    actions.map { .subscription($0) }
  }
}
