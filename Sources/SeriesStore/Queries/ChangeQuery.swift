public import FoundationEssentials
public import HealthModel

/// What was saved and deleted since a change that the caller has seen.
///
/// The history is complete and permanent: a caller that keeps the last anchor misses nothing, however long it was away.
public struct ChangeQuery: HealthQuery {
  /// After the last change that the caller has seen; ``ChangeAnchor/start`` at first.
  public var anchor: ChangeAnchor
  /// Selects samples and sessions. A session matches by its type (``SampleType/session``), source, device, time, metadata
  /// and identifier; it has no figures and is its own session.
  public var predicate: SamplePredicate
  /// The most changes that one answer covers.
  public var limit: Int?

  /// Asks for what came after `anchor`.
  public init(after anchor: ChangeAnchor, predicate: SamplePredicate = .all, limit: Int? = nil) {
    self.anchor = anchor
    self.predicate = predicate
    self.limit = limit
  }

  /// The answer now; see ``HealthQuery/result(for:)``.
  ///
  /// - Throws: ``StoreError/Code/foreignAnchor`` and ``StoreError/Code/lostAnchor`` for an anchor that is not of this
  ///   store's history. What the caller knows of the store is then invalid, and it has to begin at the start.
  public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<ChangeSet> {
    try await store.run(self)
  }

  /// Deletions always are: they are reported whatever the predicate.
  public func isConcerned(by change: StoreChange) -> Bool {
    change.isDeletion || predicate.mayMean(change)
  }

  /// Continues after the answer; at once if its limit has cut it.
  public func next(after answer: ChangeSet) -> (query: ChangeQuery, isDue: Bool) {
    (ChangeQuery(after: answer.anchor, predicate: predicate, limit: limit), answer.hasMore)
  }
}

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
}
