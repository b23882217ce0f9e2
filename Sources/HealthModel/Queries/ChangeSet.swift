public import FoundationEssentials

/// A set of changes. No object is both saved and deleted, so the lists may be applied in any order.
public struct ChangeSet: Hashable, Sendable, Codable {
  /// Samples that were saved and still exist, in the order of saving, if they match the predicate.
  public var added: [HealthSample]
  /// Recording sessions that were saved and still exist, in that order, if they match the predicate. A session replaces
  /// what the caller has under its identifier; its samples follow it, with a limit perhaps in a later answer.
  public var sessions: [SessionSummary]
  /// All deletions in order, whatever the predicate: only type and source of deleted objects are known.
  ///
  /// Objects that have since been saved or restored under the same identifier, and match the predicate, are left out: they
  /// are in the other lists, here or in a later answer, and replace what the caller has.
  public var deleted: [DeletedObject]
  /// The anchor for the next query.
  public var anchor: ChangeAnchor
  /// Whether the limit has cut the answer: there are further changes after the anchor.
  public var hasMore: Bool

  package init(
    added: [HealthSample], sessions: [SessionSummary], deleted: [DeletedObject], anchor: ChangeAnchor, hasMore: Bool
  ) {
    self.added = added
    self.sessions = sessions
    self.deleted = deleted
    self.anchor = anchor
    self.hasMore = hasMore
  }
}

/// A tombstone of a deleted sample or session.
public struct DeletedObject: Hashable, Sendable, Codable {
  /// Its identifier.
  public var id: UUID
  /// Its type; ``SampleType/session`` for a recording session, nil if it was deleted under the first layout.
  public var type: SampleType?
  /// The identifier of the program that had saved it; nil in the same case.
  public var source: String?
  /// When it was deleted.
  public var deleted: Timestamp
  /// The number of the deletion in the history.
  public var change: Int64

  /// Whether it was a recording session and not a sample.
  public var isSession: Bool { type == .session }

  package init(id: UUID, type: SampleType?, source: String?, deleted: Timestamp, change: Int64) {
    self.id = id
    self.type = type
    self.source = source
    self.deleted = deleted
    self.change = change
  }
}
