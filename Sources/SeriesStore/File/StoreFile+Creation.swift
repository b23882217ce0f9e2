import CSQLite
import FoundationEssentials
import Glibc

extension StoreFile {
  /// Creates an empty store under a temporary name and links it to `path` when it is complete, so that there is never half
  /// a store.
  static func createIfMissing(_ path: String, mode: UInt32) throws(StoreError) {
    guard unsafe access(path, F_OK) != 0 else { return }
    guard errno == ENOENT else { throw cannotCreate(path, errno) }
    let draft = try makeDraft(of: path, mode: mode, identity: UUID())
    defer { removeDraft(draft) }
    // link(2) does not replace: if two programs create the store at once, the first succeeds and both use its file.
    guard unsafe link(draft, path) == 0 || errno == EEXIST else { throw cannotCreate(path, errno) }
  }

  /// Makes an empty store under a temporary name beside `path`. Returns the path under that name.
  static func makeDraft(of path: String, mode: UInt32, identity: UUID) throws(StoreError) -> String {
    let draft = try makeEmptyDraft(of: path, mode: mode)
    do { try fill(draft, identity) } catch {
      removeDraft(draft)
      throw error
    }
    return draft
  }

  /// Makes an empty file under a temporary name beside `path`. Returns the path under that name.
  static func makeEmptyDraft(of path: String, mode: UInt32) throws(StoreError) -> String {
    let draft = "\(path)\(StorePlace.draftMark)\(UInt64.random(in: 0 ... .max))"
    let descriptor = unsafe open(draft, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, mode_t(mode))
    guard descriptor >= 0 else { throw cannotCreate(path, errno) }
    // If root creates it in a service's folder, it belongs to the service: systemd does not change files in a folder that
    // the service owns.
    if geteuid() == 0 { giveToOwner(ofFolderOf: path, descriptor) }
    // The umask may have removed permissions of the group.
    fchmod(descriptor, mode_t(mode))
    close(descriptor)
    return draft
  }

  static func removeDraft(_ draft: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unsafe unlink(draft + suffix) }
  }

  /// A connection that fills a draft.
  static func connect(toDraft draft: String) throws(StoreError) -> Connection {
    let connection = try Connection(draft, flags: SQLITE_OPEN_READWRITE)
    try connection.execute("PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY")
    return connection
  }

  private static func giveToOwner(ofFolderOf path: String, _ descriptor: Int32) {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
    var status = stat()
    guard unsafe stat(String(folder), &status) == 0 else { return }
    fchown(descriptor, status.st_uid, status.st_gid)
  }

  private static func fill(_ draft: String, _ identity: UUID) throws(StoreError) {
    let connection = try Connection(draft, flags: SQLITE_OPEN_READWRITE)
    try connection.execute(Schema.preparation)
    try connection.transaction { () throws(StoreError) in
      try connection.execute("PRAGMA application_id = \(Schema.applicationIdentifier)")
      try Schema.makeTables(on: connection, store: identity)
      try connection.execute(Schema.indexes)
      try Schema.makeViews(on: connection)
    }
    try connection.execute("PRAGMA journal_mode = WAL")
  }

  static func cannotCreate(_ path: String, _ code: Int32) -> StoreError {
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return StoreError(.cannotCreate, "\(path) cannot be made: \(reason); check that its folder is there and writable")
  }
}

extension Schema {
  /// Creates the tables of this layout, empty except for the store's description of itself.
  static func makeTables(on connection: Connection, store uuid: UUID) throws(StoreError) {
    for table in tables { try connection.execute(table.creation) }
    for content in contents { try make(content, on: connection) }
    try connection.insert(
      [.integer(1), SQLValue(uuid), .integer(oldestReader), .integer(oldestWriter), .null], into: store)
    try connection.execute("PRAGMA user_version = \(version)")
  }

  /// Creates the tables that were added to this layout after the file was made.
  static func makeMissingTables(on connection: Connection) throws(StoreError) {
    for table in tables where try !connection.has(table) { try connection.execute(table.creation) }
    for content in contents where try !connection.has(content.table) { try make(content, on: connection) }
  }

  private static func make(_ content: ContentTable, on connection: Connection) throws(StoreError) {
    try connection.execute(content.table.creation)
    for index in content.indexes { try connection.execute(index) }
    try connection.insert(
      [.text(content.table.name), .text(content.key), .integer(content.shift)], into: contentTables)
  }

  static func makeViews(on connection: Connection) throws(StoreError) {
    for view in views {
      try connection.execute("DROP VIEW IF EXISTS \(view.name)")
      try connection.execute(view.statement)
    }
  }
}
