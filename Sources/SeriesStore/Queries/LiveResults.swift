public import HealthModel

/// The answers to one query, one after every change that concerns it; see ``StoreQuery/results(for:)``.
public struct LiveResults<Query: StoreQuery>: AsyncSequence, Sendable {
  let query: Query
  let store: HealthStore

  /// Starts to wait for changes with the first answer.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(query: query, store: store)
  }

  /// Waits for changes of the store, until it is released.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var query: Query
    let store: HealthStore
    /// Holds at most one pending signal of changes that came while nobody waited.
    private var signals: AsyncStream<Void>.Iterator?
    /// The state of the last answer: the change, and the number of file openings before it.
    private var seen: (change: Int64, opening: Int)?
    /// Whether the next answer has to wait for a signal.
    private var waits = false

    init(query: Query, store: HealthStore) {
      self.query = query
      self.store = store
    }

    /// The next answer; nil once the store is closed or the task is cancelled.
    public mutating func next() async throws(StoreError) -> Snapshot<Query.Output>? {
      try await next(isolation: #isolation)
    }

    /// The next answer; nil once the store is closed or the task is cancelled.
    ///
    /// - Throws: What ``StoreQuery/result(for:)`` throws; ``StoreError/Code/foreignAnchor`` and
    ///   ``StoreError/Code/lostAnchor`` if an observing store has switched to another file;
    ///   ``StoreError/Code/cannotObserve`` if it cannot.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(StoreError) -> Snapshot<Query.Output>? {
      if signals == nil {
        signals = await store.changeSignals { [query] change in query.isConcerned(by: change) }.makeAsyncIterator()
      }
      while true {
        if waits {
          guard await signals?.next(isolation: actor) != nil else { return nil }
        }
        waits = true
        // Read before the answer: a file that is opened meanwhile is signalled.
        let opening = store.listeners.openings
        let snapshot: Snapshot<Query.Output>
        do throws(StoreError) {
          snapshot = try await query.result(for: store)
        } catch {
          if error.code == .cancelled { return nil }
          // Either closed permanently, which ends the signals, or until it can be reopened, which is signalled.
          guard error.code == .closed else { throw error }
          continue
        }
        // The signal may be for a change that the previous answer already included.
        if let seen, seen == (snapshot.change, opening) { continue }
        seen = (snapshot.change, opening)
        let next = query.next(after: snapshot.value)
        query = next.query
        waits = !next.isDue
        return snapshot
      }
    }
  }
}
