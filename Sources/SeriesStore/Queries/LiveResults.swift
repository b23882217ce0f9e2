/// The answers to one query, one after every change that concerns it; see ``HealthQuery/results(for:)``.
public struct LiveResults<Query: HealthQuery>: AsyncSequence, Sendable {
  let query: Query
  let store: HealthStore

  /// Begins to wait for changes with the first answer.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(query: query, store: store)
  }

  /// Waits for the store to change. When it is gone the store forgets it.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var query: Query
    let store: HealthStore
    /// A change that came while nobody waited is kept, and one is enough.
    private var signals: AsyncStream<Void>.Iterator?
    /// What the last answer has seen: the state of which of the files that were open in turn.
    private var seen: (change: Int64, opening: Int)?
    /// Whether there is nothing new to answer before the next signal.
    private var waits = false

    init(query: Query, store: HealthStore) {
      self.query = query
      self.store = store
    }

    /// The next answer; nil once the store is closed or the task is cancelled.
    public mutating func next() async throws(StoreError) -> Snapshot<Query.Output>? {
      try await next(isolation: nil)
    }

    /// The next answer; nil once the store is closed or the task is cancelled.
    ///
    /// - Throws: What ``HealthQuery/result(for:)`` throws, so ``StoreError/Code/foreignAnchor`` and ``StoreError/Code/lostAnchor``
    ///   where an observing store goes on with another file; ``StoreError/Code/cannotObserve`` where it cannot.
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
        // Before the answer: what is opened meanwhile is signalled.
        let opening = store.listeners.openings
        let snapshot: Snapshot<Query.Output>
        do throws(StoreError) {
          snapshot = try await query.result(for: store)
        } catch {
          if error.code == .cancelled { return nil }
          // Closed for good, which ends the signals, or until it can be opened again, which is one.
          guard error.code == .closed else { throw error }
          continue
        }
        // A signal may tell of a change that the answer before has seen already.
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
