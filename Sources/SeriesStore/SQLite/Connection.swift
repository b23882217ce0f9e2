import CSQLite
import HealthModel

/// A connection to a database file with its compiled statements, used by one thread at a time.
@safe
final class Connection {
  let path: String
  let handle: OpaquePointer
  /// The quantity types that the program knows.
  var quantityTypes = QuantityTypeRegistry.standard
  /// The rows of types that this transaction has looked up: no other connection can change them meanwhile.
  var typeRows: [SampleType: Int64] = [:]
  /// Number and checksum of the last change that this transaction has recorded: no other connection can record one
  /// meanwhile.
  var lastChange: (number: Int64, checksum: SQLValue)?
  /// Whether tables of workouts were found in the file.
  var hasWorkouts = false
  /// The workouts whose figures this transaction has to compute anew, since the samples collected with them have
  /// changed.
  var staleWorkouts: Set<Int64> = []
  /// Whether tables of attachments were found in the file.
  var hasAttachments = false
  /// The digests of files that may belong to no sample any more, because of deletions in this transaction.
  var orphanedDigests: Set<String> = []
  /// The work that the statements of this connection may do.
  let budget: WorkBudget
  /// SQLite's own limit for statements, in bytes.
  var longestStatement: Int32 = 0
  /// Compiled statements by their text, including those in use, so that using one does not move anything.
  private var kept: [String: CompiledStatement] = [:]
  private var retirements: UInt64 = 0
  /// The steps of SQLite's virtual machine in finished statements: the work for answers.
  private(set) var steps: Int64 = 0
  /// The most statements in the cache, each about 20 KB: more than a session's commit or a query needs. Predicates
  /// create ever new texts, so without a limit memory would grow for ever.
  static let idleLimit = 64
  /// The longest text, in bytes, whose statement gets into the cache.
  private static let longestKept = 65_536

  /// Opens `path` with SQLite's `flags` (`SQLITE_OPEN_…`).
  convenience init(_ path: String, flags: Int32, limit: WorkLimit = .each) throws(StoreError) {
    try self.init(path, name: path, flags: flags, limit: limit)
  }

  /// Opens `path` for reading as a file that nobody writes to: without locks and without a write-ahead log.
  convenience init(frozen path: String, limit: WorkLimit = .each) throws(StoreError) {
    let name = (path.hasPrefix("/") ? "file://" : "file:") + Self.escaped(path) + "?immutable=1"
    try self.init(path, name: name, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, limit: limit)
  }

  private init(_ path: String, name: String, flags: Int32, limit: WorkLimit) throws(StoreError) {
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let handle = unsafe opened else {
      let system = unsafe sqlite3_system_errno(opened)
      unsafe sqlite3_close_v2(opened)
      throw .sqlite(code, path, system: system)
    }
    unsafe self.handle = unsafe handle
    self.path = path
    budget = WorkBudget(limit, for: path)
    try defend()
    try RowChecksum.register(on: self)
    try addQuantityComparison()
  }

  /// `path` as part of a URI: letters, digits, `/`, `.`, `-` and `_` stay, everything else is escaped (RFC 3986, 2.1).
  private static func escaped(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return path.utf8.reduce(into: "") { text, byte in
      let scalar = Unicode.Scalar(byte)
      if scalar.isASCII,
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "/.-_".unicodeScalars.contains(scalar)
      {
        text.unicodeScalars.append(scalar)
      } else {
        text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }

  deinit {
    for statement in kept.values { statement.finalize() }
    unsafe sqlite3_close_v2(handle)
  }

  /// Sets how long a call waits for another connection's lock before it fails.
  func waitForLocks(milliseconds: Int32) {
    unsafe sqlite3_busy_timeout(handle, milliseconds)
  }

  /// Limits the length of values and rows: a statement must not use all memory for one.
  func limitValues(toBytes limit: Int32) {
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, limit)
  }

  /// Keeps the write-ahead log when the last connection closes, so that readers without write permission can open the
  /// file. The log stays unchanged: while emptying it SQLite would lock the whole file, so that no reader could open
  /// the file.
  func keepWriteAheadLog() throws(StoreError) {
    var on: Int32 = 1
    try check(unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &on))
    try check(unsafe csqlite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1))
  }

  /// Empties the log into the file and truncates it, without blocking readers. Returns false if a reader still uses the
  /// log, or another program writes.
  func emptyWriteAheadLog() throws(StoreError) -> Bool {
    var statement = try prepare("PRAGMA wal_checkpoint(TRUNCATE)")
    return try statement.step() && statement.integer(0) == 0
  }

  /// Whether the file could only be opened for reading, although writing was requested.
  var isReadOnly: Bool {
    unsafe sqlite3_db_readonly(handle, "main") == 1
  }

  /// Whether the open file is no longer the one at its path.
  var hasMoved: Bool {
    var answer: Int32 = 0
    unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &answer)
    return answer != 0
  }

  /// The number of rows that the last insert, update or delete changed.
  var changes: Int {
    Int(unsafe sqlite3_changes(handle))
  }

  /// The number of rows inserted, updated or deleted since the connection was opened.
  var totalChanges: Int64 {
    unsafe sqlite3_total_changes64(handle)
  }

  /// Runs statements without parameters and drops their rows.
  func execute(_ text: String) throws(StoreError) {
    try check(unsafe sqlite3_exec(handle, text, nil, nil, nil))
  }

  /// Compiles `text`, or gets its statement from the cache, to which the statement returns when it is released.
  func prepare(_ text: String) throws(StoreError) -> Statement {
    let present = kept[text]
    if let present, !present.isInUse {
      present.isInUse = true
      return Statement(present, of: self)
    }
    var compiled: OpaquePointer?
    let length = Int32(clamping: text.utf8.count + 1)
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    try check(unsafe sqlite3_prepare_v3(handle, text, length, flags, &compiled, nil))
    guard let handle = unsafe compiled else { throw .sqlite(SQLITE_MISUSE, path) }
    let statement = unsafe CompiledStatement(handle)
    // One statement is kept for each text. Statements of huge predicates are used once and need megabytes: they are not
    // kept.
    if present == nil, text.utf8.count <= Self.longestKept { keep(statement, as: text) }
    return Statement(statement, of: self)
  }

  /// Puts a statement into the cache instead of the one that was unused for the longest time.
  private func keep(_ statement: CompiledStatement, as text: String) {
    if kept.count >= Self.idleLimit,
      let oldest = kept.lazy.filter({ !$0.value.isInUse }).min(by: { $0.value.retired < $1.value.retired })
    {
      kept[oldest.key] = nil
      oldest.value.finalize()
    }
    statement.isKept = true
    kept[text] = statement
  }

  /// The first column of the first row as an integer; 0 if there is no row.
  func integer(_ text: String) throws(StoreError) -> Int64 {
    var statement = try prepare(text)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// A number that changes when another connection has written, and not with writes of this connection. No page is read
  /// for it.
  func dataVersion() throws(StoreError) -> Int64 {
    try integer("PRAGMA data_version")
  }

  /// Returns a statement to the cache, or finalizes a statement that was never in the cache.
  func retire(_ statement: CompiledStatement) {
    steps += statement.takeSteps()
    guard statement.isKept else { return statement.finalize() }
    retirements += 1
    statement.retire(as: retirements)
  }

  /// The number of unused statements in the cache.
  var idleCount: Int { kept.values.count { !$0.isInUse } }

  /// Runs `body` in one transaction: completely or not at all.
  ///
  /// The transaction acquires the write lock at once: one that begins as a reader and writes later could fail half-way.
  func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    budget.begin()
    try execute("BEGIN IMMEDIATE")
    typeRows = [:]
    staleWorkouts = []
    lastChange = nil
    orphanedDigests = []
    do throws(StoreError) {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // SQLite may have rolled back by itself; then this fails and adds no information.
      try? execute("ROLLBACK")
      throw error
    }
  }

  /// Runs one statement without rows; `arguments` are ?1, ?2 …
  func run(_ text: String, _ arguments: Int64...) throws(StoreError) {
    var statement = try prepare(text)
    for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: Int32(index + 1)) }
    try statement.run()
  }

  /// Runs `body` on one unchanging state of the file, whatever others write meanwhile.
  func snapshot<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    budget.begin()
    try execute("BEGIN")
    defer { try? execute("COMMIT") }
    return try body()
  }

  /// The error for an object whose stored form is not what was written.
  func corrupt(_ object: String) -> StoreError {
    StoreError(.corrupt(object: object), "what \(path) holds of \(object) is damaged; the rest is readable")
  }

  func check(_ code: Int32) throws(StoreError) {
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// The error for `code`, the result of the call that just failed.
  func failure(_ code: Int32) -> StoreError {
    .sqlite(code, path, system: unsafe sqlite3_system_errno(handle))
  }
}

extension Connection {
  /// Throws if the query was cancelled; called before each sample and each chunk.
  func checkCancellation() throws(StoreError) {
    guard Task.isCancelled else { return }
    throw StoreError(.cancelled, "the question was withdrawn before it was answered")
  }
}
