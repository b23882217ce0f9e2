public import FoundationEssentials
public import HealthModel

/// What was saved and deleted since a change that the caller has seen.
///
/// Changes are numbered from 1 without a hole, and for ever: a caller that keeps the last number misses nothing, however
/// long it was away.
public struct ChangeQuery: HealthQuery {
  /// The number of the last change that the caller has seen; 0 at first.
  public var anchor: Int64
  /// Which samples are asked for.
  public var predicate: SamplePredicate
  /// The most changes that one answer goes on by.
  public var limit: Int?

  /// What came after the change `anchor`.
  public init(after anchor: Int64, predicate: SamplePredicate = .all, limit: Int? = nil) {
    self.anchor = anchor
    self.predicate = predicate
    self.limit = limit
  }

  /// The answer now; see ``HealthQuery/result(for:)``.
  public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<ChangeSet> {
    try await store.run(self)
  }
}

/// What changed. No object is in both lists, so the order in which they are applied does not matter.
public struct ChangeSet: Hashable, Sendable {
  /// Samples that were saved and are still there, in the order of saving, as far as the predicate means them.
  public var added: [HealthSample]
  /// Everything that was deleted, in that order; what kind it was of is not known any more.
  ///
  /// What was deleted and has been saved or restored since under its identifier is left out where the predicate means
  /// it: it is in `added`, here or in a later answer, and takes the place of what the caller has of it.
  public var deleted: [DeletedObject]
  /// The anchor for the next question.
  public var anchor: Int64
}

/// What is left of a deleted sample or session.
public struct DeletedObject: Hashable, Sendable {
  /// What it was called.
  public var id: UUID
  /// A recording session, as against a sample.
  public var isSession: Bool
  /// When it was deleted.
  public var deleted: Timestamp
  /// The number of the deletion in the sequence of changes.
  public var change: Int64
}
