public import FoundationEssentials
public import HealthModel

/// The history row by row, for programs that keep a copy of it elsewhere.
extension HealthStore {
  /// Returns the saves and deletions after an anchor, with the rows of the file: at most `limit` changes, and fewer where
  /// they have more than `bytes`, but one at least.
  ///
  /// - Throws: ``StoreError/Code/foreignAnchor``, ``StoreError/Code/lostAnchor`` where the anchor is none of this history.
  public func history(
    after anchor: ChangeAnchor, limit: Int, bytes: Int = 4 << 20
  ) throws(StoreError) -> StoredChanges {
    try opened().read { (connection) throws(StoreError) in
      try HistoryReader(connection: connection).changes(after: anchor, limit: limit, bytes: bytes)
    }
  }

  /// The places of the changes from `first` on up to `last` in their list; of fewer where the store has fewer.
  public func historyLinks(from first: Int64, to last: Int64) throws(StoreError) -> [ChangeLink] {
    try opened().read { (connection) throws(StoreError) in
      try HistoryReader(connection: connection).links(from: first, to: last)
    }
  }

  /// Returns the rows that the file has of objects now; objects that it does not have are left out.
  public func history(of objects: [UUID]) throws(StoreError) -> [StoredChange] {
    try opened().read { (connection) throws(StoreError) in
      try HistoryReader(connection: connection).objects(objects)
    }
  }

  /// The rows of the devices that objects refer to, by their number: a number may be another device's after all objects of the former
  /// one were deleted. A row that was altered is left out.
  public func historyDevices() throws(StoreError) -> [StoredRow] {
    try opened().read { (connection) throws(StoreError) in try HistoryReader(connection: connection).devices() }
  }

  /// A stream that is signalled after each later change, while it is held, until the store is closed. With `observing` also
  /// after those of other connections.
  public func changeSignals() -> AsyncStream<Void> { changeSignals { _ in true } }
}
