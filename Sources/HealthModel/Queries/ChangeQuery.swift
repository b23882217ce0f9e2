/// What was saved and deleted since a change that the caller has seen.
///
/// The history is complete and permanent: a caller that keeps the last anchor misses nothing, however long it was away.
///
/// An anchor that is not of the store's history is refused (`StoreError.Code.foreignAnchor`, `StoreError.Code.lostAnchor`).
/// What the caller knows of the store is then invalid, and it has to begin at the start.
public struct ChangeQuery: HealthQuery {
  /// What was saved and deleted.
  public typealias Output = ChangeSet

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

  /// Deletions always are: they are reported whatever the predicate.
  public func isConcerned(by change: StoreChange) -> Bool {
    change.isDeletion || predicate.mayMean(change)
  }

  /// Continues after the answer; at once if its limit has cut it.
  public func next(after answer: ChangeSet) -> (query: ChangeQuery, isDue: Bool) {
    (ChangeQuery(after: answer.anchor, predicate: predicate, limit: limit), answer.hasMore)
  }
}
