public import FoundationEssentials

/// The differences of two lists of objects. Objects that were deleted at the centre count apart, since nothing writes to the store.
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

  /// Compares digests; `tombstones` are those that hide what the store has.
  public init(store: [UUID: [UInt8]], centre: [UUID: [UInt8]], tombstones: Set<UUID>) {
    for (id, digest) in store {
      switch centre[id] {
      case digest: equal += 1
      case .some: different.append(id)
      case nil where tombstones.contains(id): deleted += 1
      case nil: missing.append(id)
      }
    }
    extra = centre.keys.filter { store[$0] == nil }
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
