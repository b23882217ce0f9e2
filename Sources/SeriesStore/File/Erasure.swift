import HealthModel

/// The work after a deletion: no byte of deleted rows may stay in the file or its write-ahead log.
struct Erasure {
  let connection: Connection

  /// Records that deleted values have to be erased, so that the next writer does it if this program cannot.
  func note() throws(StoreError) {
    try mark(Timestamp.now().microseconds)
  }

  /// Whether deleted values may still be in the file or its log.
  func isPending() throws(StoreError) -> Bool {
    try connection.integer("SELECT erasure IS NOT NULL FROM store") != 0
  }

  private func mark(_ time: Int64?) throws(StoreError) {
    var statement = try connection.prepare(
      "UPDATE store SET erasure = ?1, checksum = \(RowChecksum.name)(id, uuid, min_reader, min_writer, ?1)")
    try statement.bind(time, at: 1)
    try statement.run()
  }

  /// Rewrites the file, then empties and truncates the write-ahead log.
  ///
  /// SQLite's secure_delete overwrites a row in place, but not copies that moved rows leave in the free space of pages.
  /// Only a rewritten file has none.
  func finish() throws(StoreError) {
    do throws(StoreError) {
      try connection.execute("VACUUM")
    } catch {
      guard error.code == .locked else { throw error }
      throw unfinished("another program is writing")
    }
    guard try connection.emptyWriteAheadLog() else { throw unfinished("a reader is at work") }
    try mark(nil)
  }

  private func unfinished(_ reason: String) -> StoreError {
    StoreError(
      .locked,
      "deleted, but \(connection.path) or its -wal still holds the bytes, since \(reason); delete again to finish")
  }
}

extension HealthStore {
  /// Erases the values that an earlier deletion could not erase, because a reader was using them or the power failed.
  ///
  /// A recorder calls this when it opens the store.
  ///
  /// - Returns: Whether there was anything to erase.
  /// - Throws: ``StoreError/Code/locked`` if a reader still uses the values.
  @discardableResult
  public func finishErasing() throws(StoreError) -> Bool {
    let erasure = Erasure(connection: try opened().connection)
    guard try erasure.isPending() else { return false }
    try erasure.finish()
    return true
  }
}
