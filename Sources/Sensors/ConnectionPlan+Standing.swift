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
