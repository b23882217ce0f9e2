public import FoundationEssentials

/// The differences of two sides, object by object. Objects that were deleted at the centre count apart, since nothing writes to the store.
public struct Comparison: Hashable, Sendable {
  /// Objects that are the same on both sides.
  public private(set) var equal = 0
  /// Objects of the store that the centre has not, although it should.
  public private(set) var missing: [UUID] = []
  /// Objects of the centre that the store has not.
  public private(set) var extra: [UUID] = []
  /// Objects that are not the same.
  public private(set) var different: [UUID] = []
  /// Objects of the store that were deleted at the centre.
  public private(set) var deleted = 0

  /// The places of an object.
  public enum State: Hashable, Sendable {
    case same, different
    /// In the store alone; deleted at the centre, or not there although it should be.
    case deleted, missing
    /// At the centre alone.
    case extra
  }

  public init() {}

  /// Counts an object.
  public mutating func add(_ id: UUID, _ state: State) {
    switch state {
    case .same: equal += 1
    case .different: different.append(id)
    case .deleted: deleted += 1
    case .missing: missing.append(id)
    case .extra: extra.append(id)
    }
  }

  /// Counts objects that have the same digest as different: their rows are others.
  public mutating func add(different objects: Set<UUID>) {
    let more = objects.subtracting(different).subtracting(extra).subtracting(missing)
    different += more
    equal -= more.count
  }

  /// Leaves out what differs, or is on one side only, because a change of it waits.
  public mutating func leaveOut(_ pending: Set<UUID>) {
    missing.removeAll(where: pending.contains)
    extra.removeAll(where: pending.contains)
    different.removeAll(where: pending.contains)
  }

  /// Whether nothing is wrong.
  public var isEqual: Bool { missing.isEmpty && extra.isEmpty && different.isEmpty }
}
