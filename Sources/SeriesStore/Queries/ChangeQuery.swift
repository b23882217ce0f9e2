public import FoundationEssentials
public import HealthModel

/// What was saved and deleted since a change that the caller has seen.
///
/// Changes have no hole, and stay for ever: a caller that keeps the last anchor misses nothing, however long it was away.
public struct ChangeQuery: HealthQuery {
  /// Behind the last change that the caller has seen; ``ChangeAnchor/start`` at first.
  public var anchor: ChangeAnchor
  /// Which samples and sessions are asked for. It means a session by its type (``SampleType/session``), source, device, time,
  /// metadata and identifier; a session has no figures, and is its own session.
  public var predicate: SamplePredicate
  /// The most changes that one answer goes on by.
  public var limit: Int?

  /// What came after `anchor`.
  public init(after anchor: ChangeAnchor, predicate: SamplePredicate = .all, limit: Int? = nil) {
    self.anchor = anchor
    self.predicate = predicate
    self.limit = limit
  }

  /// The answer now; see ``HealthQuery/result(for:)``.
  ///
  /// - Throws: ``StoreError/Code/foreignAnchor`` and ``StoreError/Code/lostAnchor`` for an anchor that is not of this store:
  ///   what the caller has of it is worth nothing then, and it begins at the start.
  public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<ChangeSet> {
    try await store.run(self)
  }

  /// Deletions always do: they are told whatever the predicate.
  public func isConcerned(by change: StoreChange) -> Bool {
    change.isDeletion || predicate.mayMean(change)
  }

  /// Goes on behind the answer, at once where its limit has cut it.
  public func next(after answer: ChangeSet) -> (query: ChangeQuery, isDue: Bool) {
    (ChangeQuery(after: answer.anchor, predicate: predicate, limit: limit), answer.hasMore)
  }
}

/// What changed. No object is both there and deleted, so the order in which the lists are applied does not matter.
public struct ChangeSet: Hashable, Sendable, Codable {
  /// Samples that were saved and are still there, in the order of saving, as far as the predicate means them.
  public var added: [HealthSample]
  /// Recording sessions that were saved and are still there, in that order, as far as the predicate means them. A session takes
  /// the place of what the caller has under its identifier; its samples come behind it, with a limit perhaps in a later answer.
  public var sessions: [SessionSummary]
  /// Everything that was deleted, in that order, whatever the predicate: only its type and its source are known.
  ///
  /// What was deleted and has been saved or restored since under its identifier is left out where the predicate means
  /// it: it is in the other lists, here or in a later answer, and takes the place of what the caller has of it.
  public var deleted: [DeletedObject]
  /// The anchor for the next question.
  public var anchor: ChangeAnchor
  /// Whether the limit has cut the answer: there are changes behind the anchor already.
  public var hasMore: Bool
}

/// What is left of a deleted sample or session.
public struct DeletedObject: Hashable, Sendable, Codable {
  /// What it was called.
  public var id: UUID
  /// What it was; ``SampleType/session`` for a recording session, nil where it was deleted under the first layout.
  public var type: SampleType?
  /// The identifier of the program that had saved it; nil likewise.
  public var source: String?
  /// When it was deleted.
  public var deleted: Timestamp
  /// The number of the deletion in the sequence of changes.
  public var change: Int64

  /// A recording session, as against a sample.
  public var isSession: Bool { type == .session }
}
