import CSQLite
import Glibc

/// The file of a store that comes back from a backup: written under a hidden name, and put at its path only when it is whole.
///
/// For one thread at a time. What is not finished is removed with the last reference.
package final class RestoredStore {
  private let path: String
  private let mode: UInt32
  /// The place to which the bytes of the backup are written: an empty file beside ``path``, with its owner and mode.
  package let draft: String
  private var lock: RecorderLock?

  /// Begins with an empty file beside `path`, whose folder must be there.
  ///
  /// - Throws: ``StoreError/Code/invalid`` where something is at `path`; ``StoreError/Code/locked`` where a recorder has the place.
  package init(_ path: String, mode: UInt32) throws(StoreError) {
    (self.path, self.mode) = (path, mode)
    var status = stat()
    guard unsafe lstat(path, &status) != 0 else { throw StoreRestoration.isThere(path) }
    // A recorder whose store was taken away has the place still.
    if unsafe access(path + "-recorder", F_OK) == 0 { lock = try RecorderLock(besides: path, mode: mode) }
    draft = try StoreFile.makeEmptyDraft(of: path, mode: mode)
  }

  deinit {
    StoreFile.removeDraft(draft)
  }

  /// Opens what was written as the store that it has to be, and notes in it that it was restored. Returns the number of its last
  /// change.
  ///
  /// - Throws: Where it is no store, a newer one, or declares what no sensord does.
  package func mark() throws(StoreError) -> Int64 {
    let file = try StoreFile(draft, for: .writing, mode: mode)
    try file.write { (connection) throws(StoreError) in try connection.addRestoration() }
    try file.connection.execute("PRAGMA journal_mode = WAL")
    guard try file.connection.emptyWriteAheadLog() else {
      throw StoreError(.locked, "\(draft) is in use; nobody else may open it")
    }
    return try file.connection.changeList.last()
  }

  /// Runs `publish`, for what has to be there before the store, then puts the file at its path. A recorder that starts meanwhile
  /// finds the place taken.
  package func finish(after publish: () throws -> Void) throws {
    if lock == nil { lock = try RecorderLock(besides: path, mode: mode) }
    try publish()
    // link(2) does not replace.
    guard unsafe link(draft, path) == 0 else {
      let code = errno
      throw code == EEXIST ? StoreRestoration.isThere(path) : StoreFile.cannotCreate(path, code)
    }
    StoreFile.removeDraft(draft)
    lock = nil
  }
}
