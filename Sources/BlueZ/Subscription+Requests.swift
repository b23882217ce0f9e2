/// Asking, being refused, and asking again.
extension Subscription {
  /// Asks for the values in the way that is due.
  mutating func attempt() -> [Action] {
    guard let characteristic else { return [] }
    ticket += 1
    // A refusal for which no cause is to be seen: another program has just begun or just left, or the rest of our own last
    // descriptor is in the way. Every third attempt asks for signals, which can work where a descriptor does not.
    let signals = prefersSignals || refusals % 3 == 2
    state = signals ? .starting : .acquiring
    return [
      signals ? .startNotify(characteristic, ticket: ticket) : .acquireNotify(characteristic, ticket: ticket),
      .schedule(ticket: ticket, milliseconds: Self.answerLimitMilliseconds),
    ]
  }

  /// AcquireNotify has been answered; on success the driver holds the descriptor.
  mutating func handleAcquired(_ result: Result<Void, BlueZRefusal>, ticket: Int) -> [Action] {
    guard ticket == self.ticket, state == .acquiring else {
      if case .success = result { return [.discardDescriptor] }
      return []
    }
    switch result {
    case .success:
      state = .acquired
      self.ticket += 1
      refusals = 0
      // Not notifications: BlueZ would have refused the descriptor.
      forgetEarly()
      return [.subscribed(.acquired)]
    case .failure(let refusal):
      return handle(refusal)
    }
  }

  /// StartNotify has been answered.
  mutating func handleStarted(_ result: Result<Void, BlueZRefusal>, ticket: Int) -> [Action] {
    guard ticket == self.ticket, state == .starting else { return [] }
    switch result {
    case .success:
      state = .started
      self.ticket += 1
      refusals = 0
      return [.subscribed(.started)]
    case .failure(let refusal):
      return handle(refusal)
    }
  }

  /// The time of ``Action/schedule(ticket:milliseconds:)`` is over.
  mutating func handleTimer(ticket: Int) -> [Action] {
    guard ticket == self.ticket else { return [] }
    switch state {
    case .acquiring:
      // BlueZ 5.66 keeps a request that the device never answered, beyond the link, and refuses every later one for it.
      let path = characteristic
      state = .waiting
      return (path.map { [.stopNotify($0)] } ?? []) + [.failed(.unanswered)]
        + retry(after: Self.longestRetryMilliseconds)
    case .starting: return [.failed(.unanswered)]
    case .waiting, .blocked: return attempt()
    default: return []
    }
  }

  private mutating func handle(_ refusal: BlueZRefusal) -> [Action] {
    refusals += 1
    switch refusal {
    case .inProgress where isNotifying:
      return share()
    case .notPermitted where isNotifyAcquired:
      state = .blocked
      // The end of it is signalled; asking now and then is for the case that it ended in this moment.
      return [.failed(.acquiredElsewhere)] + retry(after: Self.longestRetryMilliseconds)
    case .notSupported where !prefersSignals:
      prefersSignals = true
      return attempt()
    default:
      state = .waiting
      // The first refusals are ordinary.
      let report: [Action] = refusals % 8 == 4 ? [.failed(failure(of: refusal))] : []
      return freeStale(refusal) + report + retry(after: min(250 << min(refusals - 1, 6), Self.longestRetryMilliseconds))
    }
  }

  /// A request that was under way when its link was lost blocks every later one in BlueZ 5.66, though `NotifyAcquired` is
  /// false; StopNotify frees it. Not at once: another program's request may be under way.
  private func freeStale(_ refusal: BlueZRefusal) -> [Action] {
    guard refusal == .notPermitted, refusals % 4 == 3, let characteristic else { return [] }
    return [.stopNotify(characteristic)]
  }

  private mutating func retry(after milliseconds: Int) -> [Action] {
    ticket += 1
    return [.schedule(ticket: ticket, milliseconds: milliseconds)]
  }

  private func failure(of refusal: BlueZRefusal) -> SubscriptionFailure {
    switch refusal {
    case .accessDenied: .accessDenied
    default: .refused(name: refusal.name)
    }
  }
}
