/// The answers to one query, one after every change; see ``HealthQuery/results(for:)``.
public struct LiveResults<Query: HealthQuery>: AsyncSequence, Sendable {
  let query: Query
  let store: HealthStore

  /// Begins to wait for changes with the first answer.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(query: query, store: store)
  }

  /// Waits for the store to change. When it is gone the store forgets it.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let query: Query
    let store: HealthStore
    /// A change that came while nobody waited is kept, and one is enough.
    private var changes: AsyncStream<Void>.Iterator?
    private var lastChange: Int64?
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
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(StoreError) -> Snapshot<Query.Output>? {
      if changes == nil { changes = store.changeSignals().makeAsyncIterator() }
      while true {
        if waits {
          guard await changes?.next(isolation: actor) != nil else { return nil }
        }
        waits = true
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
        if snapshot.change != lastChange {
          lastChange = snapshot.change
          return snapshot
        }
      }
    }
  }
}
