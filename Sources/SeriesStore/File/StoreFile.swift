import CSQLite
import Glibc
import HealthModel

/// The open file of a store, used by one thread at a time: what ``HealthStore`` does, without waiting its turn.
final class StoreFile {
  let path: String
  let connection: Connection
  /// Held while a recorder has the store.
  private var lock: RecorderLock?
  /// Whether the file has turned out to be ours, and may be written.
  private var isWriting = false

  /// How long a writer waits for another, or a checkpoint for its readers.
  private static let patience: Int32 = 10_000

  /// Opens the file, or makes it; see ``HealthStore/open(_:for:mode:)``.
  init(_ path: String, for access: HealthStore.Access, mode: UInt32) throws(StoreError) {
    self.path = path
    if access != .reading { try Self.createIfMissing(path, mode: mode) }
    let place = try StorePlace(path, for: access)
    connection = try Self.connect(place, for: access)
    // First of all, so that closing changes nothing of a file that is not ours.
    if access != .reading { try connection.keepWriteAheadLog() }
    try checkIdentity()
    // Not before: what is no store gets no file beside it.
    if access == .recording { lock = try RecorderLock(besides: place.realPath, mode: mode) }
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
    isWriting = true
    try migrate(by: Schema.migrations)
    try renewViews()
    if access == .recording { try finishErasing() }
  }

  deinit {
    guard isWriting else { return }
    connection.waitForLocks(milliseconds: 0)
    // Where others are at work the log stays, and one of them empties it.
    _ = try? connection.emptyWriteAheadLog()
  }

  /// Erases what a deletion has left, without waiting: where a reader is at work it is left for later again.
  private func finishErasing() throws(StoreError) {
    guard try isErasurePending() else { return }
    connection.waitForLocks(milliseconds: 0)
    defer { connection.waitForLocks(milliseconds: Self.patience) }
    try? eraseFreeSpace()
  }

  /// Brings a file of an earlier layout to the newest, all steps in one transaction: a failure leaves it as it was.
  ///
  /// Step `i` leads from layout `i + 1` to the next. The views are made anew.
  func migrate(by steps: [String]) throws(StoreError) {
    let newest = Int64(steps.count + 1)
    guard try connection.integer("PRAGMA user_version") < newest else { return }
    try connection.transaction { () throws(StoreError) in
      // Read again: another writer may have been faster.
      let version = Int(clamping: max(1, try connection.integer("PRAGMA user_version")))
      for step in steps.dropFirst(version - 1) { try connection.execute(step) }
      try makeViews()
      try connection.execute("PRAGMA user_version = \(newest)")
    }
  }

  /// Makes the views of a file that an earlier program wrote what they are now: they hold nothing, so no layout counts them.
  private func renewViews() throws(StoreError) {
    var views = try connection.prepare("SELECT sql FROM sqlite_master WHERE type = 'view'")
    var present: Set<String> = []
    while try views.step() {
      if let statement = views.text(0) { present.insert(statement) }
    }
    guard Schema.views.contains(where: { !present.contains($0.statement) }) else { return }
    try connection.transaction { () throws(StoreError) in try makeViews() }
  }

  private func makeViews() throws(StoreError) {
    for view in Schema.views {
      try connection.execute("DROP VIEW IF EXISTS \(view.name)")
      try connection.execute(view.statement)
    }
  }

  private static func connect(_ place: StorePlace, for access: HealthStore.Access) throws(StoreError) -> Connection {
    let connection =
      if access != .reading {
        try Connection(place.path, flags: SQLITE_OPEN_READWRITE)
      } else if place.isFrozen {
        try Connection(frozen: place.path)
      } else {
        try Connection(place.path, flags: SQLITE_OPEN_READONLY)
      }
    connection.waitForLocks(milliseconds: patience)
    return connection
  }

  /// Throws unless the file is a store in a layout that this program knows. Nothing has been written when it does.
  private func checkIdentity() throws(StoreError) {
    guard try connection.integer("PRAGMA application_id") == Schema.applicationIdentifier else {
      throw .notADatabase(path)
    }
    let version = try connection.integer("PRAGMA user_version")
    guard version > 0 else { throw .notADatabase(path) }
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
    let draft = "\(path)\(StorePlace.draftMark)\(UInt64.random(in: 0 ... .max))"
    let descriptor = unsafe open(draft, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, mode_t(mode))
    guard descriptor >= 0 else { throw cannotCreate(path, errno) }
    defer { for suffix in ["", "-wal", "-shm", "-journal"] { unsafe unlink(draft + suffix) } }
    // Made by root for a service, it is the service's: systemd leaves what is in a folder of the service's as it is.
    if geteuid() == 0 { giveToOwner(ofFolderOf: path, descriptor) }
    // The user's mask may have taken away what the group is meant to have.
    fchmod(descriptor, mode_t(mode))
    close(descriptor)
    try fill(draft)
    // link(2) does not replace: where two programs make the store at once, the first one wins and both go on with it.
    guard unsafe link(draft, path) == 0 || errno == EEXIST else { throw cannotCreate(path, errno) }
  }

  private static func giveToOwner(ofFolderOf path: String, _ descriptor: Int32) {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
    var status = stat()
    guard unsafe stat(String(folder), &status) == 0 else { return }
    fchown(descriptor, status.st_uid, status.st_gid)
  }

  private static func fill(_ draft: String) throws(StoreError) {
    let connection = try Connection(draft, flags: SQLITE_OPEN_READWRITE)
    try connection.execute(Schema.preparation)
    try connection.transaction { () throws(StoreError) in
      try connection.execute("PRAGMA application_id = \(Schema.applicationIdentifier)")
      try connection.execute("PRAGMA user_version = \(Schema.version)")
      try connection.execute(Schema.creation)
      for view in Schema.views { try connection.execute(view.statement) }
    }
    try connection.execute("PRAGMA journal_mode = WAL")
  }

  private static func cannotCreate(_ path: String, _ code: Int32) -> StoreError {
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return StoreError(.cannotCreate, "\(path) cannot be made: \(reason); check that its folder is there and writable")
  }
}
