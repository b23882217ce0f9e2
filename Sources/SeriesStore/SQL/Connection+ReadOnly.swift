import CSQLite

extension Connection {
  /// Refuses, when it is compiled, every statement that does more than read.
  func allowOnlyReading() throws(StoreError) {
    try check(
      unsafe sqlite3_set_authorizer(
        handle,
        { _, action, first, second, _, _ in
          switch action {
          case SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE: SQLITE_OK
          case SQLITE_PRAGMA where unsafe Connection.isHarmless(pragma: first, argument: second): SQLITE_OK
          default: SQLITE_DENY
          }
        }, nil))
  }

  /// Ends what ``allowOnlyReading()`` has begun, for statements of this program.
  func allowEverything() throws(StoreError) {
    try check(unsafe sqlite3_set_authorizer(handle, nil, nil))
  }

  /// Whether a pragma only reads a setting.
  private static func isHarmless(pragma: UnsafePointer<CChar>?, argument: UnsafePointer<CChar>?) -> Bool {
    guard let pragma = unsafe pragma else { return false }
    switch unsafe String(cString: pragma).lowercased() {
    case "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "function_list",
      "integrity_check", "quick_check":
      return true
    case "user_version", "application_id", "page_size", "page_count", "freelist_count", "schema_version":
      return unsafe argument == nil
    default:
      return false
    }
  }

  /// Compiles the single statement in `text`; throws SQLite's message if it is not valid.
  func prepareOne(_ text: String) throws(StoreError) -> Statement {
    var compiled: OpaquePointer?
    var hasMore = false
    let code = unsafe text.withCString { start in
      var tail: UnsafePointer<CChar>?
      let code = unsafe sqlite3_prepare_v3(handle, start, -1, 0, &compiled, &tail)
      // Only spaces, comments and semicolons may follow the statement.
      while code == SQLITE_OK, let rest = unsafe tail, unsafe rest.pointee != 0, !hasMore {
        var next: OpaquePointer?
        hasMore = unsafe sqlite3_prepare_v3(handle, rest, -1, 0, &next, &tail) != SQLITE_OK || next != nil
        unsafe sqlite3_finalize(next)
      }
      return code
    }
    guard code == SQLITE_OK else { throw reason(of: failure(code)) }
    guard let statement = unsafe compiled else { throw StoreError(.statement, "there is no statement to run") }
    let result = unsafe Statement(CompiledStatement(statement), of: self)
    guard !hasMore else { throw StoreError(.statement, "only one statement can be run") }
    return result
  }

  /// An error in a person's statement, with SQLite's message if it concerns that statement.
  func reason(of error: StoreError) -> StoreError {
    let message = unsafe String(cString: sqlite3_errmsg(handle))
    switch unsafe sqlite3_extended_errcode(handle) {
    // A refused CREATE TABLE ends with SQLITE_SCHEMA: the parser gave up half-way.
    case SQLITE_AUTH, SQLITE_SCHEMA:
      return StoreError(
        .statement,
        "the store can only be read with SQL: SELECT, EXPLAIN and the PRAGMAs that only tell something are allowed")
    case UnpackedTable.corrupt: return StoreError(.corrupt(object: "database"), message)
    case let code where code & 0xFF == SQLITE_ERROR || code & 0xFF == SQLITE_TOOBIG || code & 0xFF == SQLITE_RANGE:
      return StoreError(.statement, "SQL: \(message)")
    default: return error
    }
  }

  /// Adds the table to those that statements can name.
  func addTable(_ table: UnpackedTable) throws(StoreError) {
    let context = unsafe Unmanaged.passRetained(UnpackedTable.Context(table: table, connection: self))
    // SQLite releases the context, even if this fails.
    try check(
      unsafe sqlite3_create_module_v2(handle, table.rawValue, UnpackedTable.module, context.toOpaque()) { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<UnpackedTable.Context>.fromOpaque(context).release()
      })
    // SQLite declares the table at its first use and then asks the authorizer; so it is used once before there is an
    // authorizer.
    _ = try prepare("SELECT 1 FROM \(table.rawValue) LIMIT 0")
  }
}

extension Statement {
  /// The names of the columns.
  var columnNames: [String] {
    let count = unsafe sqlite3_column_count(handle)
    return (0..<count).map { column in
      unsafe sqlite3_column_name(handle, column).map { unsafe String(cString: $0) } ?? ""
    }
  }

  /// The value of a column, whatever its kind.
  borrowing func value(_ column: Int32) -> SQLValue {
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .real(real(column))
    case SQLITE_TEXT: .text(text(column) ?? "")
    case SQLITE_BLOB: .blob(bytes(column))
    default: .null
    }
  }
}
