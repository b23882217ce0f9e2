public import HealthModel

extension QuantityQuery {
  /// The same quantities in batches, in the same order: for series of any length in constant memory.
  ///
  /// All batches are of one state of the file, whatever is saved meanwhile. A connection of its own holds this state until
  /// the loop is left, so that what is deleted meanwhile cannot be erased yet.
  public func batches(for store: HealthStore) -> QuantityBatches {
    QuantityBatches(query: self, store: store)
  }
}

/// The quantities of many series, some ten thousand at a time; see ``HealthModel/QuantityQuery/batches(for:)``.
public struct QuantityBatches: AsyncSequence, Sendable {
  let query: QuantityQuery
  let store: HealthStore

  /// The state of the file is that at the first batch.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(query: query, store: store)
  }

  /// Reads batch after batch. Releases the state after the last one, or when it is released itself.
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
