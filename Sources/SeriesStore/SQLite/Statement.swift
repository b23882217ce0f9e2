import CSQLite

/// A compiled statement with one owner, who binds and steps it. The statement returns to its connection's cache when
/// released.
@safe
struct Statement: ~Copyable {
  let handle: OpaquePointer
  private let compiled: CompiledStatement
  private let connection: Connection

  init(_ compiled: CompiledStatement, of connection: Connection) {
    unsafe handle = unsafe compiled.handle
    self.compiled = compiled
    self.connection = connection
  }

  deinit {
    connection.retire(compiled)
  }

  /// The destructor that makes SQLite copy a bound value. The header's macro for it is a cast, which Swift does not
  /// import.
  static var transient: sqlite3_destructor_type {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  // Parameters are numbered from 1, as in SQL (`?1`).

  mutating func bind(_ value: Int64?, at index: Int32) throws(StoreError) {
    if let value {
      try connection.check(unsafe sqlite3_bind_int64(handle, index, value))
    } else {
      try connection.check(unsafe sqlite3_bind_null(handle, index))
    }
  }

  mutating func bind(_ value: Double?, at index: Int32) throws(StoreError) {
    if let value {
      try connection.check(unsafe sqlite3_bind_double(handle, index, value))
    } else {
      try connection.check(unsafe sqlite3_bind_null(handle, index))
    }
  }

  mutating func bind(_ value: String?, at index: Int32) throws(StoreError) {
    if let value {
      let length = Int32(clamping: value.utf8.count)
      try connection.check(unsafe sqlite3_bind_text(handle, index, value, length, Self.transient))
    } else {
      try connection.check(unsafe sqlite3_bind_null(handle, index))
    }
  }

  mutating func bind(_ value: [UInt8], at index: Int32) throws(StoreError) {
    let code = unsafe value.withUnsafeBytes { bytes in
      // An empty blob is not NULL: SQLite looks at the pointer.
      unsafe bytes.isEmpty
        ? sqlite3_bind_zeroblob(handle, index, 0)
        : sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(clamping: bytes.count), Self.transient)
    }
    try connection.check(code)
  }

  mutating func bind(_ value: SQLValue, at index: Int32) throws(StoreError) {
    switch value {
    case .null: try bind(nil as Int64?, at: index)
    case .integer(let integer): try bind(integer, at: index)
    case .real(let real): try bind(real, at: index)
    case .text(let text): try bind(text, at: index)
    case .blob(let bytes): try bind(bytes, at: index)
    }
  }

  /// Steps to the next row; false if there are no more.
  mutating func step() throws(StoreError) -> Bool {
    let code = unsafe sqlite3_step(handle)
    switch code {
    case SQLITE_ROW:
      connection.budget.spendRow()
      return true
    case SQLITE_DONE: return false
    default: throw connection.failure(code)
    }
  }

  /// Runs a statement without rows, and resets it for the next use.
  mutating func run() throws(StoreError) {
    while try step() {}
    reset()
  }

  /// Resets a statement for the next use; bound values stay.
  mutating func reset() {
    unsafe sqlite3_reset(handle)
  }

  // Columns are numbered from 0, as in SQLite.

  borrowing func isNull(_ column: Int32) -> Bool {
    unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  borrowing func integer(_ column: Int32) -> Int64 {
    unsafe sqlite3_column_int64(handle, column)
  }

  borrowing func real(_ column: Int32) -> Double {
    unsafe sqlite3_column_double(handle, column)
  }

  borrowing func optionalInteger(_ column: Int32) -> Int64? {
    isNull(column) ? nil : integer(column)
  }

  borrowing func optionalReal(_ column: Int32) -> Double? {
    isNull(column) ? nil : real(column)
  }

  /// The text of a column, invalid UTF-8 replaced; nil for NULL.
  borrowing func text(_ column: Int32) -> String? {
    guard let start = unsafe sqlite3_column_text(handle, column) else { return nil }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  borrowing func bytes(_ column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}

/// SQLite's compiled form of a statement, which its connection keeps for reuse.
@safe
final class CompiledStatement {
  let handle: OpaquePointer
  /// Whether a ``Statement`` uses it now.
  var isInUse = true
  /// Whether it returns to the connection's cache after use, and is not finalized.
  var isKept = false
  /// The running number of its last return to the cache.
  private(set) var retired: UInt64 = 0

  init(_ handle: OpaquePointer) {
    unsafe self.handle = unsafe handle
  }

  /// Prepares the statement for the next use, without the rows and values of the last one.
  func retire(as number: UInt64) {
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
    retired = number
    isInUse = false
  }

  /// The steps of the virtual machine since the last call.
  func takeSteps() -> Int64 {
    Int64(unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1))
  }

  /// Finalizes the statement in SQLite; the statement must not be used afterwards.
  func finalize() {
    unsafe sqlite3_finalize(handle)
  }
}
