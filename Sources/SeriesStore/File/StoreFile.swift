import CSQLite
import FoundationEssentials
import Glibc
import HealthModel

/// The open file of a store, used by one thread at a time: opening and transactions. The tables (``Connection``)
/// implement the reading and writing within them.
final class StoreFile {
  let path: String
  let place: StorePlace
  let connection: Connection
  /// Whether this reads a file that nobody could write to when it was opened, so that later changes of it stay unseen.
  let isFrozen: Bool
  /// The quantity types that the program knows.
  let types: QuantityTypeRegistry
  /// The recorder's lock, held while a recorder uses the store.
  private var lock: RecorderLock?
  /// Whether the file is a store and may be written.
  private var isWriting = false

  /// The time, in milliseconds, for which a writer waits for another one, or a checkpoint for readers.
  private static let patience: Int32 = 10_000
  /// Fewer free pages than this are not worth rewriting a file: 256 KiB.
  private static let fewestFreePages: Int64 = 16

  /// Opens or creates the file; see ``HealthStore/open(_:for:mode:types:observing:limit:)``.
  init(
    _ path: String, for access: HealthStore.Access, mode: UInt32, types: QuantityTypeRegistry = .standard,
    limit: WorkLimit = .each
  ) throws(StoreError) {
    self.path = path
    self.types = types
    if access != .reading { try Self.createIfMissing(path, mode: mode) }
    place = try StorePlace(path, for: access)
    isFrozen = access == .reading && place.isFrozen
    connection = try Self.connect(place, for: access, isFrozen: isFrozen, limit)
    // First, so that closing changes nothing in a file that is not a store.
    if access != .reading { try connection.keepWriteAheadLog() }
    connection.quantityTypes = types
    try Self.verifyLayout(of: connection)
    let declarations = try connection.declarations()
    try declarations.verify(path)
    connection.liftStatementLimit()
    // Not earlier: a file that is not a store must not get a lock file beside it.
    if access == .recording { lock = try RecorderLock(besides: place.realPath, mode: mode) }
    guard access != .reading else {
      try read { _ in }
      return
    }
    guard !connection.isReadOnly else { throw .sqlite(SQLITE_READONLY, path) }
    // FULL: an acknowledged commit survives a power cut. Deleted content is overwritten.
    try connection.execute(
      """
      PRAGMA synchronous = FULL;
      PRAGMA temp_store = MEMORY;
      PRAGMA journal_size_limit = 0;
      PRAGMA secure_delete = ON;
      """)
    // Refuses a file that may not be written now. The length of the history does not matter.
    try connection.transaction { () throws(StoreError) in try Self.checkLayout("min_writer", on: connection) }
    isWriting = true
    try renewDeclarations(declarations)
    if access == .recording { try finishErasing() }
    // A folder that cannot be read does not prevent recording; a check reports it.
    try? sweepAttachments()
    // Also on behalf of a writer that was killed between its commit and its announcement.
    announce()
  }

  /// Moves the content of the write-ahead log into the file, so that the file alone is complete.
  ///
  /// This waits for no other connection: where a reader or another writer is at work, the log stays as it is.
  func emptyLog() {
    connection.waitForLocks(milliseconds: 0)
    defer { connection.waitForLocks(milliseconds: Self.patience) }
    _ = try? connection.emptyWriteAheadLog()
  }

  deinit {
    guard isWriting else { return }
    connection.waitForLocks(milliseconds: 0)
    // While others use the file it stays as it is; the last connection empties the log.
    try? giveBackFreePages()
    _ = try? connection.emptyWriteAheadLog()
  }

  /// Rewrites the file if a quarter or more of it is free, as after many sessions were replaced.
  ///
  /// This is done when closing, because nobody waits then; until then new sessions use the free pages.
  private func giveBackFreePages() throws(StoreError) {
    let free = try connection.integer("PRAGMA freelist_count")
    guard free >= Self.fewestFreePages, try free * 4 >= connection.integer("PRAGMA page_count") else { return }
    try connection.execute("VACUUM")
  }

  /// Runs `body` in one transaction, completely or not at all. All its changes have the same time.
  ///
  /// - Throws: ``StoreError/Code/newerVersion(found:supported:)`` if a newer program has migrated the file to a layout that
  ///   this one must not write, however long it has been open.
  func write<Result>(_ body: (Connection) throws(StoreError) -> Result) throws(StoreError) -> Result {
    let connection = connection
    let changes = connection.totalChanges
    let result = try connection.transaction { () throws(StoreError) in
      try Self.checkLayout("min_writer", on: connection)
      let last = try connection.changeList.last()
      let result = try body(connection)
      try connection.workouts.renewFigures()
      if try connection.changeList.last() > last { try connection.changeList.stamp(from: last + 1) }
      return result
    }
    // After the commit: until then the rows may come back. After a failure here the next writer removes the files.
    if !connection.orphanedDigests.isEmpty { try? sweepAttachments(connection.orphanedDigests) }
    if connection.totalChanges != changes { announce() }
    return result
  }

  /// Prepares the file for a process that may open no more files: SQLite's temporary files are in memory from now on,
  /// and the names of the files that it has made are synced to the disk. SQLite itself would sync their folder with the
  /// first commit, and ignores a folder that it cannot open.
  func needNoMoreFiles() throws(StoreError) {
    try connection.execute("PRAGMA temp_store = MEMORY")
    let folder = unsafe Glibc.open(place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  /// Notifies observers of the file that something was committed, by setting its times. SQLite's own writes come before the
  /// commit is visible. If this is not permitted, observers see the commit with the next one.
  private func announce() {
    if let descriptor { futimens(descriptor, nil) }
  }

  /// SQLite's descriptor of the file. Closing another descriptor would drop SQLite's locks, and a confined process may
  /// not set the times by the path. The descriptor of another connection serves as well. If that is closed meanwhile
  /// and reused, only the times of the file that reuses it change.
  private var descriptor: Int32? {
    var wanted = stat()
    guard unsafe stat(place.realPath, &wanted) == 0 else { return nil }
    // More descriptors than any program of this project has open; a process that may open fewer is done sooner.
    let most = Int32(clamping: min(max(sysconf(Int32(_SC_OPEN_MAX)), 1024), 65_536))
    return (STDERR_FILENO + 1..<most).first { number in
      var status = stat()
      return unsafe fstat(number, &status) == 0 && status.st_ino == wanted.st_ino && status.st_dev == wanted.st_dev
    }
  }

  /// Runs `body` on one unchanging state of the file, whatever others write meanwhile. Throws like ``write(_:)``.
  func read<Result>(_ body: (Connection) throws(StoreError) -> Result) throws(StoreError) -> Result {
    let connection = connection
    return try connection.snapshot { () throws(StoreError) in
      try Self.checkLayout("min_reader", on: connection)
      return try body(connection)
    }
  }

  /// Throws like ``read(_:)`` where the layout is too new, for a statement that has its own transaction.
  func checkReadable() throws(StoreError) {
    try Self.checkLayout("min_reader", on: connection)
  }

  private static func checkLayout(_ column: String, on connection: Connection) throws(StoreError) {
    let needed = try connection.integer("SELECT \(column) FROM store")
    guard needed > Schema.version else { return }
    throw StoreError(
      .newerVersion(found: Int(clamping: needed), supported: Int(Schema.version)),
      "\(connection.path) has layout \(needed) and this program knows \(Schema.version) at most; use a newer sensord")
  }

  /// Answers from one unchanging state of the file.
  func answer<Value>(_ body: (Connection) throws(StoreError) -> Value) throws(StoreError) -> Snapshot<Value> {
    try read { (connection) throws(StoreError) in
      let change = try connection.changeList.last()
      return Snapshot(value: try body(connection), change: change)
    }
  }

  /// Throws unless the structure of the file's pages is valid; their content is not checked.
  func verifyStructure() throws(StoreError) {
    var statement = try connection.prepare("PRAGMA quick_check(1)")
    guard try statement.step(), statement.text(0) != "ok" else { return }
    throw StoreError(
      .corrupt(object: "database"), "\(path) is damaged; copy it before anything else is tried (sensord check)")
  }

  /// Erases the bytes that a deletion has left, without waiting: while a reader is at work, the erasure is deferred again.
  private func finishErasing() throws(StoreError) {
    let erasure = Erasure(connection: connection)
    guard try erasure.isPending() else { return }
    connection.waitForLocks(milliseconds: 0)
    defer { connection.waitForLocks(milliseconds: Self.patience) }
    try? erasure.finish()
  }

  /// Creates tables that were added to this layout, and replaces the views of another program's file by the present ones: they
  /// hold no data, so the layout's number does not cover them.
  private func renewDeclarations(_ present: [Declaration]) throws(StoreError) {
    // The declarations of a newer program stay.
    guard try connection.integer("PRAGMA user_version") == Schema.version else { return }
    let tables = Set(present.lazy.filter { $0.kind == "table" }.map(\.name))
    if !Schema.allTables.allSatisfy({ tables.contains($0.name) }) {
      try write { (connection) throws(StoreError) in try Schema.makeMissingTables(on: connection) }
    }
    let views = Set(present.lazy.filter { $0.kind == "view" }.compactMap(\.text))
    guard !Schema.views.allSatisfy({ views.contains($0.statement) }) else { return }
    try write { (connection) throws(StoreError) in try Schema.makeViews(on: connection) }
  }

  private static func connect(
    _ place: StorePlace, for access: HealthStore.Access, isFrozen: Bool, _ limit: WorkLimit
  ) throws(StoreError) -> Connection {
    let connection =
      if access != .reading {
        try Connection(place.path, flags: SQLITE_OPEN_READWRITE, limit: limit)
      } else if isFrozen {
        try Connection(frozen: place.path, limit: limit)
      } else {
        try Connection(place.path, flags: SQLITE_OPEN_READONLY, limit: limit)
      }
    connection.waitForLocks(milliseconds: patience)
    return connection
  }

  /// Throws unless the file is a store of this layout or a later one; nothing has been written then.
  private static func verifyLayout(of connection: Connection) throws(StoreError) {
    guard try connection.integer("PRAGMA application_id") == Schema.applicationIdentifier else {
      throw .notADatabase(connection.path)
    }
    let version = try connection.integer("PRAGMA user_version")
    guard version > 0 else { throw .notADatabase(connection.path) }
    guard version >= Schema.version else {
      throw StoreError(
        .olderVersion(found: Int(version), supported: Int(Schema.version)),
        "\(connection.path) has layout \(version), from before version 0.1.0, and this program reads layout"
          + " \(Schema.version) at least; move it away to begin a new store, or name another file with --store")
    }
  }
}
