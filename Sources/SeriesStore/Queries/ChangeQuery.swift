public import FoundationEssentials
public import HealthModel

/// What was saved and deleted since a change that the caller has seen.
///
/// Changes have no hole, and stay for ever: a caller that keeps the last anchor misses nothing, however long it was away.
public struct ChangeQuery: HealthQuery {
  /// Behind the last change that the caller has seen; ``ChangeAnchor/start`` at first.
  public var anchor: ChangeAnchor
  /// Which samples are asked for.
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
}

/// What changed. No object is in both lists, so the order in which they are applied does not matter.
public struct ChangeSet: Hashable, Sendable, Codable {
  /// Samples that were saved and are still there, in the order of saving, as far as the predicate means them.
  public var added: [HealthSample]
  /// Everything that was deleted, in that order, whatever the predicate: only its type and its source are known.
  ///
  /// What was deleted and has been saved or restored since under its identifier is left out where the predicate means
  /// it: it is in `added`, here or in a later answer, and takes the place of what the caller has of it.
  public var deleted: [DeletedObject]
  /// The anchor for the next question.
  public var anchor: ChangeAnchor
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
