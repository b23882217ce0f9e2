import CSQLite
package import FoundationEssentials
import Glibc
import HealthModel

/// One state of a store, held while it is copied for a backup. Others write meanwhile, and nobody waits for it; only what a
/// deletion has left in the file's log is erased later.
///
/// For one thread at a time.
package final class StoreSnapshot {
  private let file: StoreFile
  private let folder: AttachmentFolder
  /// The store's own UUID.
  package let identity: UUID
  /// The number of the last change.
  package let change: Int64
  /// The names of the files of attachments, sorted: those that rows of this state name.
  package let attachments: [String]

  /// Pages of 16 KiB that are copied at once: between two portions the copy can be given up.
  private static let portion: Int32 = 256

  /// Begins with the state of now.
  ///
  /// - Throws: As ``HealthStore/open(_:for:mode:types:observing:limit:)`` for reading.
  package init(of path: String) throws(StoreError) {
    let file = try StoreFile(path, for: .reading, mode: 0o600)
    let connection = file.connection
    // From its first statement on the state is fixed, until the connection is closed.
    try connection.execute("BEGIN")
    try file.checkReadable()
    var statement = try connection.prepare("SELECT uuid FROM store")
    guard try statement.step(), let identity = UUID(bytes: statement.bytes(0)) else {
      throw connection.corrupt("the store's identity")
    }
    folder = try file.attachmentFolder()
    change = try connection.changeList.last()
    (self.file, self.identity) = (file, identity)
    attachments = try Self.names(in: folder, connection)
  }

  /// The names of the files that rows of attachments name; of all files of the store where one of these rows is
  /// damaged, since its digest may be wrong.
  private static func names(
    in folder: AttachmentFolder, _ connection: Connection
  ) throws(StoreError) -> [String] {
    if let digests = try connection.attachments.digests() { return digests.map(folder.name).sorted() }
    guard let opened = try folder.open() else { return [] }
    return try folder.names(in: opened).filter { folder.digest(ofName: $0) != nil }
  }

  /// Hands over the file of an attachment: its descriptor, which is closed afterwards, and its size. Returns false where it is
  /// gone.
  package func readAttachment(_ name: String, _ body: (_ descriptor: Int32, _ size: Int) throws -> Void) throws -> Bool
  {
    guard let opened = try folder.open(), let attachment = try folder.open(name, in: opened) else { return false }
    try body(attachment.number, Int(attachment.status(folder.path).st_size))
    return true
  }

  /// Whether a later state names this file, too: it is missing then, and else was deleted meanwhile.
  package func isNamedNow(_ name: String) throws(StoreError) -> Bool {
    let now = try StoreFile(file.path, for: .reading, mode: 0o600)
    return try Self.names(in: folder, now.connection).contains(name)
  }

  /// Copies the file of this state, page by page, to a file that has a name only until it is open, and hands that over.
  ///
  /// - Parameters:
  ///   - hidden: Where it is made; nothing may be there.
  ///   - progress: Called with the pages that are done and their total after each portion; ends the copy by throwing.
  ///   - body: Is given the descriptor of the copy, at its beginning, and its size.
  /// - Throws: `StoreError`, and what `progress` and `body` throw.
  package func withCopy(
    at hidden: String, progress: (_ done: Int, _ total: Int) throws -> Void,
    _ body: (_ descriptor: Int32, _ size: Int) throws -> Void
  ) throws {
    let number = unsafe open(hidden, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw StoreFile.cannotCreate(hidden, errno) }
    let copy = Descriptor(number)
    do {
      let target: Connection
      do {
        // However this program ends, nothing stays behind.
        defer { unsafe unlink(hidden) }
        target = try Connection(hidden, flags: SQLITE_OPEN_READWRITE)
        try target.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = 16")
        _ = try target.integer("SELECT count(*) FROM sqlite_schema")
      }
      try copyPages(to: target, progress)
    }
    try body(number, Int(copy.status(hidden).st_size))
  }

  private func copyPages(to target: Connection, _ progress: (_ done: Int, _ total: Int) throws -> Void) throws {
    guard let backup = unsafe sqlite3_backup_init(target.handle, "main", file.connection.handle, "main") else {
      throw StoreError.sqlite(unsafe sqlite3_errcode(target.handle), file.path)
    }
    var code = SQLITE_OK
    do {
      while code == SQLITE_OK {
        // The state is the one that this connection has open, so no portion begins anew because somebody has written.
        code = unsafe sqlite3_backup_step(backup, Self.portion)
        let total = Int(unsafe sqlite3_backup_pagecount(backup))
        try progress(total - Int(unsafe sqlite3_backup_remaining(backup)), total)
      }
    } catch {
      unsafe sqlite3_backup_finish(backup)
      throw error
    }
    unsafe sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE else {
      throw StoreError.sqlite(code, file.path, system: unsafe sqlite3_system_errno(target.handle))
    }
  }
}
