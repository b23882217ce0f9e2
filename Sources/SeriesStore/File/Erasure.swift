import HealthModel

/// What deleting leaves to do: no byte of deleted rows stays in the file or its log.
struct Erasure {
  let connection: Connection

  /// Notes that deleted values are still to be erased, so that whoever writes next does it where this program cannot.
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

  /// Writes the file anew, and empties the log into it and cuts it.
  ///
  /// SQLite's secure_delete overwrites a row where it stands, but not the copies that moved rows leave behind in the
  /// free space of a page: only a file that is written anew has none.
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
