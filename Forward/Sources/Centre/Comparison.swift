public import FoundationEssentials

/// The differences between a store's objects and the centre's. An object that was deleted at the centre only is no difference.
public struct Comparison: Hashable, Sendable {
  /// Objects that are the same on both sides.
  public private(set) var equal = 0
  /// Objects of the store that the centre should have, and does not have.
  public private(set) var missing: [UUID] = []
  /// Objects of the centre that the store does not have.
  public private(set) var extra: [UUID] = []
  /// Objects of both sides with different digests or rows.
  public private(set) var different: [UUID] = []
  /// Objects of the store that were deleted at the centre.
  public private(set) var deleted = 0

  /// Compares digests; `tombstones` are the objects of the store that were deleted at the centre.
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

  /// Counts objects as different whose digests are equal: their rows at the centre are not those of the digest, or are two persons'.
  public mutating func add(different objects: Set<UUID>) {
    let more = objects.subtracting(different).subtracting(extra).subtracting(missing)
    different += more
    equal -= more.count
  }

  /// Leaves out objects that differ, or are on one side only, because a change of them is still to be forwarded.
  public mutating func leaveOut(_ pending: Set<UUID>) {
    missing.removeAll(where: pending.contains)
    extra.removeAll(where: pending.contains)
    different.removeAll(where: pending.contains)
  }

  /// Whether no object is missing, extra or different.
  public var isEqual: Bool { missing.isEmpty && extra.isEmpty && different.isEmpty }
}
