public import FoundationEssentials
public import HealthModel

/// A save or a deletion of a sample or a session, with what the file has of it.
public struct StoredChange: Hashable, Sendable {
  /// From 1, without gaps.
  public var number: Int64
  /// The sample or the session.
  public var object: UUID
  /// Whether it was deleted; then there are no rows.
  public var isDeletion: Bool
  /// When the change was made; nil where the file does not say.
  public var time: Timestamp?
  /// Its row of `types`; nil where that is not known any more.
  public var type: StoredRow?
  /// Its row of `sources`.
  public var source: StoredRow?
  /// Its row of `devices`, if a device measured it.
  public var device: StoredRow?
  /// The session that a sample belongs to.
  public var session: UUID?
  /// Its rows in every table that has some of it, its own (of `samples` or `sessions`) first, in the order of tables and keys.
  /// Empty where it was deleted or replaced since.
  ///
  /// References to rows are their numbers, which stay as they are; ``members`` has the objects in associations.
  public var rows: [StoredRow]
  /// The objects that its rows of `associations` refer to, by their numbers.
  public var members: [Int64: UUID]
  /// The tables in which a row of it is not that of its checksum, or a chunk not that of its seal: a failing disk or somebody changed it.
  /// `changes` where that is its own place in the list, or where something of it cannot be read: then there are no rows, and the object is
  /// ``nothing`` if that cannot be read either. Empty where all is as it was written.
  public var damagedTables: Set<String> = []

  /// A change with what belongs to it.
  public init(
    number: Int64, object: UUID, isDeletion: Bool, time: Timestamp?, type: StoredRow?, source: StoredRow?,
    device: StoredRow?, session: UUID?, rows: [StoredRow], members: [Int64: UUID]
  ) {
    (self.number, self.object, self.isDeletion, self.time) = (number, object, isDeletion, time)
    (self.type, self.source, self.device, self.session) = (type, source, device, session)
    (self.rows, self.members) = (rows, members)
  }
}

/// A part of the history of a store, in order.
public struct StoredChanges: Hashable, Sendable {
  /// The identity of the store. A copy of its file has the same.
  public var store: UUID
  /// The changes, by ascending number.
  public var changes: [StoredChange]
  /// Objects that were saved earlier, and whose rows these changes altered: what has collected a new sample. To be stored anew.
  public var altered: [StoredChange]
  /// The anchor at which the next part begins.
  public var anchor: ChangeAnchor
  /// The number of the store's last change.
  public var last: Int64
  /// Whether there is a next part.
  public var hasMore: Bool
  /// The places of the changes in their list, one for each.
  public var links: [ChangeLink]
  /// Whether the row with the store's identity was altered, so that it may be another store's.
  public var isIdentityDamaged: Bool
}

/// The place of a change in its list: two lists that have the same place under a number were one list up to there.
public struct ChangeLink: Hashable, Sendable {
  /// The checksum of the list up to this change; where it is damaged in the file, the one that the changes around say.
  public var checksum: UInt32
  /// The checksum of the change's own values behind the change before; another one than `checksum` where a value is damaged.
  public var computed: UInt32
  /// The lowest bits of the time of its commit in microseconds, which a change that was made again does not have.
  public var time: UInt32

  /// The place of a change with these checksums and this time of its commit.
  public init(checksum: UInt32, computed: UInt32, time: UInt32) {
    (self.checksum, self.computed, self.time) = (checksum, computed, time)
  }
}
