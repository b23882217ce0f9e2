import FoundationEssentials
import HealthModel

extension StoreFile {
  /// Deletes a session and all that belongs to it; its bytes are left to ``eraseFreeSpace()``.
  func delete(_ session: UUID) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      let row = try existingRow(of: session)
      try deleteContents(ofSession: row)
      try recordChange(of: session, object: .session, deleted: true)
      try deleteUnusedProvenance()
      try noteErasure()
    }
  }

  /// Removes the devices and sources that nothing names any more, with their names and addresses.
  func deleteUnusedProvenance() throws(StoreError) {
    try connection.execute(
      """
      DELETE FROM device WHERE id NOT IN (SELECT device FROM session)
        AND id NOT IN (SELECT device FROM sample WHERE device IS NOT NULL);
      DELETE FROM source WHERE id NOT IN (SELECT source FROM session) AND id NOT IN (SELECT source FROM sample);
      """)
  }

  /// Notes that deleted values are still to be erased, so that whoever writes next does it where this program cannot.
  func noteErasure() throws(StoreError) {
    try insert([Self.erasureKey: .time(.now())], of: 0, kind: .store, replacing: true)
  }

  /// Whether deleted values may still be in the file or its log.
  func isErasurePending() throws(StoreError) -> Bool {
    try metadata(of: 0, kind: .store)[Self.erasureKey] != nil
  }

  private static let erasureKey = "erasure"

  /// Removes a session's row and everything that belongs to it, and records the deletion of its samples.
  func deleteContents(ofSession row: Int64) throws(StoreError) {
    // All that the session owns goes, also a sample whose identifier is damaged.
    var samples: [(id: Int64, uuid: UUID?)] = []
    do {
      var statement = try connection.prepare("SELECT id, uuid FROM sample WHERE session = ?1")
      try statement.bind(row, at: 1)
      while try statement.step() {
        samples.append((statement.integer(0), UUID(bytes: statement.bytes(1))))
      }
    }
    for sample in samples { try deleteSample(sample.id, uuid: sample.uuid) }
    try run("DELETE FROM gap WHERE session = ?1", row)
    try deleteMetadata(of: row, kind: .session)
    try deleteMetadata(of: row, kind: .quality)
    try run("DELETE FROM session WHERE id = ?1", row)
  }

  func run(_ text: String, _ arguments: Int64...) throws(StoreError) {
    var statement = try connection.prepare(text)
    for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: Int32(index + 1)) }
    try statement.run()
  }

  /// Leaves no byte of deleted rows in the file or its log.
  ///
  /// SQLite's secure_delete overwrites a row where it stands, but not the copies that moved rows leave behind in the
  /// free space of a page: only a file that is written anew has none. Then the log is emptied into it and cut.
  func eraseFreeSpace() throws(StoreError) {
    do throws(StoreError) {
      try connection.execute("VACUUM")
    } catch {
      guard error.code == .locked else { throw error }
      throw unfinished("another program is writing")
    }
    guard try connection.emptyWriteAheadLog() else { throw unfinished("a reader is at work") }
    try deleteMetadata(of: 0, kind: .store, key: Self.erasureKey)
  }

  private func unfinished(_ reason: String) -> StoreError {
    StoreError(
      .locked, "deleted, but \(path) or its -wal still holds the bytes, since \(reason); delete again to finish")
  }
}
