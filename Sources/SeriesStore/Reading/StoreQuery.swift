public import HealthModel

/// A query that a store answers: once with ``result(for:)``, or again after every change with ``results(for:)``.
public protocol StoreQuery: HealthQuery {
  /// Answers the query from one unchanging state of the file.
  @concurrent func result(for store: HealthStore) async throws(StoreError) -> Snapshot<Output>
}

extension StoreQuery {
  /// The present answer, and another one after every change that concerns the query, until the loop is left.
  ///
  /// A reader that is slower than the changes misses intermediate answers about the present state, but never the last one.
  /// The answers to a `ChangeQuery` have each change exactly once.
  public func results(for store: HealthStore) -> LiveResults<Self> {
    LiveResults(query: self, store: store)
  }
}

extension SampleQuery: StoreQuery {
  /// The samples now; see ``StoreQuery/result(for:)``.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<[HealthSample]> {
    try await store.run(self)
  }
}

extension QuantityQuery: StoreQuery {
  /// The quantities now; see ``StoreQuery/result(for:)``.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<QuantityList> {
    try await store.run(self)
  }
}

extension ContentQuery: StoreQuery {
  /// The content now; see ``StoreQuery/result(for:)``.
  ///
  /// - Throws: ``StoreError/Code/notFound`` if the sample is not in the store.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<Content> {
    try await store.run(self)
  }
}

extension StatisticsCollectionQuery: StoreQuery {
  /// The statistics now; see ``StoreQuery/result(for:)``.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<[Statistics]> {
    try await store.run(self)
  }
}

extension ChangeQuery: StoreQuery {
  /// The changes now; see ``StoreQuery/result(for:)``.
  ///
  /// - Throws: ``StoreError/Code/foreignAnchor`` and ``StoreError/Code/lostAnchor`` for an anchor that is not of this
  ///   store's history. Earlier answers are then invalid, and the caller has to begin at the start.
  @concurrent public func result(for store: HealthStore) async throws(StoreError) -> Snapshot<ChangeSet> {
    try await store.run(self)
  }
}

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
    /// - Throws: The errors of ``StoreQuery/result(for:)``; ``StoreError/Code/foreignAnchor`` and
    ///   ``StoreError/Code/lostAnchor`` if an observing store has switched to another file;
    ///   ``StoreError/Code/cannotObserve`` if the store cannot observe the file any more.
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

extension QuantityQuery {
  /// The quantities of the query in batches, in the same order: for series of any length in constant memory.
  ///
  /// All batches are of one state of the file, whatever is saved meanwhile. A separate connection holds this state
  /// until the loop is left; objects that are deleted meanwhile cannot be erased before.
  public func batches(for store: HealthStore) -> QuantityBatches {
    QuantityBatches(query: self, store: store)
  }
}

/// The quantities of many series, some ten thousand at a time; see ``HealthModel/QuantityQuery/batches(for:)``.
public struct QuantityBatches: AsyncSequence, Sendable {
  let query: QuantityQuery
  let store: HealthStore

  /// An iteration over the state of the file at the first batch.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(query: query, store: store)
  }

  /// Reads batch after batch. Releases the state of the file after the last one, or with the iterator.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let query: QuantityQuery
    let store: HealthStore
    private var reader: HealthStore?
    private var cursor: QuantityCursor?
    private var isFinished = false

    init(query: QuantityQuery, store: HealthStore) {
      self.query = query
      self.store = store
    }

    /// The next batch, which is never empty; nil after the last.
    public mutating func next() async throws(StoreError) -> QuantityList? {
      try await next(isolation: #isolation)
    }

    /// The next batch, which is never empty; nil after the last.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> QuantityList? {
      guard !isFinished else { return nil }
      do throws(StoreError) {
        if reader == nil {
          let opened = try HealthStore.open(store.path, for: .reading, types: store.types)
          cursor = try await opened.holdState(for: query)
          reader = opened
        }
        if let reader, let cursor, let (batch, rest) = try await reader.batch(query, at: cursor) {
          self.cursor = rest
          return batch
        }
      } catch {
        end()
        throw error
      }
      end()
      return nil
    }

    private mutating func end() {
      isFinished = true
      reader = nil
      cursor = nil
    }
  }
}
