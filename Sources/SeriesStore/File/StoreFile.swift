import CSQLite
import Glibc
import HealthModel

/// The open file of a store, used by one thread at a time: what ``HealthStore`` does, without waiting its turn.
final class StoreFile {
  let path: String
  let connection: Connection
  /// Held while a recorder has the store.
  private let lock: RecorderLock?

  /// How long a writer waits for another, or a checkpoint for its readers.
  private static let patience: Int32 = 10_000

  /// Opens the file, or makes it; see ``HealthStore/open(_:for:mode:)``.
  init(_ path: String, for access: HealthStore.Access, mode: UInt32) throws(StoreError) {
    self.path = path
    if access != .reading { try Self.createIfMissing(path, mode: mode) }
    lock = access == .recording ? try RecorderLock(besides: path, mode: mode) : nil
    connection = try Self.connect(path, flags: access == .reading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE)
    try checkIdentity()
    guard access != .reading else { return }
    guard !connection.isReadOnly else { throw .sqlite(SQLITE_READONLY, path) }
    // FULL: a commit that was acknowledged survives a power cut. What is deleted is overwritten.
    try connection.execute(
      """
      PRAGMA synchronous = FULL;
      PRAGMA secure_delete = ON;
      PRAGMA temp_store = MEMORY;
      PRAGMA journal_size_limit = 0;
      """)
    try connection.keepWriteAheadLog()
  }

  private static func connect(_ path: String, flags: Int32) throws(StoreError) -> Connection {
    do throws(StoreError) {
      let connection = try Connection(path, flags: flags)
      connection.waitForLocks(milliseconds: patience)
      return connection
    } catch {
      if unsafe access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR { throw .missing(path) }
      throw error
    }
  }

  /// Throws unless the file is a store in a layout that this program knows. Nothing has been written when it does.
  private func checkIdentity() throws(StoreError) {
    guard try connection.integer("PRAGMA application_id") == Schema.applicationIdentifier else {
      throw .notADatabase(path)
    }
    let version = try connection.integer("PRAGMA user_version")
    guard version <= Schema.version else {
      throw StoreError(
        .newerVersion(found: Int(version), supported: Int(Schema.version)),
        "\(path) has layout \(version) and this program knows \(Schema.version) at most; use a newer sensord")
    }
  }

  /// Makes an empty store under another name and links it to `path` when it is complete: there is never half a store.
  private static func createIfMissing(_ path: String, mode: UInt32) throws(StoreError) {
    guard unsafe access(path, F_OK) != 0 else { return }
    guard errno == ENOENT else { throw cannotCreate(path, errno) }
    let draft = "\(path).new-\(UInt64.random(in: 0 ... .max))"
    let descriptor = unsafe open(draft, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, mode_t(mode))
    guard descriptor >= 0 else { throw cannotCreate(path, errno) }
    defer { for suffix in ["", "-wal", "-shm", "-journal"] { unsafe unlink(draft + suffix) } }
    // The user's mask may have taken away what the group is meant to have.
    fchmod(descriptor, mode_t(mode))
    close(descriptor)
    try fill(draft)
    // link(2) does not replace: where two programs make the store at once, the first one wins and both go on with it.
    guard unsafe link(draft, path) == 0 || errno == EEXIST else { throw cannotCreate(path, errno) }
  }

  private static func fill(_ draft: String) throws(StoreError) {
    let connection = try Connection(draft, flags: SQLITE_OPEN_READWRITE)
    try connection.execute(Schema.preparation)
    try connection.transaction { () throws(StoreError) in
      try connection.execute("PRAGMA application_id = \(Schema.applicationIdentifier)")
      try connection.execute("PRAGMA user_version = \(Schema.version)")
      try connection.execute(Schema.creation)
      try connection.execute(Schema.views)
    }
    try connection.execute("PRAGMA journal_mode = WAL")
  }

  private static func cannotCreate(_ path: String, _ code: Int32) -> StoreError {
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return StoreError(.cannotCreate, "\(path) cannot be made: \(reason); check that its folder is there and writable")
  }
}
