import CSQLite
import FoundationEssentials
import HealthModel

/// Read-only SQL over a store's file, with the packed values as tables beside the file's own tables and views.
///
/// | Table | A row is | Columns |
/// |---|---|---|
/// | `rates` | a heart rate | time, bpm, contact, energy_kj, time_us, session, sample |
/// | `beats` | a beat | time, run, index, rr_ticks, rr_ms, preceded_by_gap, flags, time_us, session, sample |
/// | `quantities` | a quantity of any type | time, end, value, unit, type, source, device, time_us, end_us, session, sample |
/// | `locations` | a location of a workout's route | time, latitude, longitude, altitude, horizontal_accuracy, vertical_accuracy, speed, course, time_us, session, sample |
///
/// Times are ISO 8601 (UTC), those in `…_us` microseconds since 1970; `session` and `sample` are identifiers as in the
/// views: 32 hexadecimal digits. A condition `session = …` or `sample = …` unpacks only that session or sample.
///
/// Nothing can be written: the file is open for reading, the connection refuses to write, and statements that would
/// change anything, or attach another file, are refused before they run. Everything runs on the caller's thread.
public final class ReadOnlySQL {
  private let file: StoreFile
  private var addedViews: Set<String> = []

  /// The longest text, blob or row in bytes. No stored value is as long, but a statement can construct longer ones.
  static let longestValue: Int32 = 8 << 20

  /// Opens the store at `path` for reading.
  ///
  /// - Throws: The errors of ``HealthStore/open(_:for:mode:types:observing:limit:)``.
  public init(_ path: String) throws(StoreError) {
    file = try StoreFile(path, for: .reading, mode: 0)
    // No limit of work: a person can end the person's own statement.
    file.connection.budget.limit = nil
    try file.connection.execute("PRAGMA temp_store = MEMORY")
    try file.connection.execute("PRAGMA query_only = ON")
    for table in SampleContents.all.flatMap({ $0.unpackedTables }) { try file.connection.addTable(table) }
    try file.connection.allowOnlyReading()
    file.connection.limitValues(toBytes: Self.longestValue)
  }

  /// Adds the views that a statement names, as temporary ones: the views of the file, which may come from anybody, do
  /// not run. To add all views would take as long as the rest of the opening.
  private func addViews(namedIn text: String) throws(StoreError) {
    let text = SQLWords.lowercased(text)
    let views = Schema.views.filter { !addedViews.contains($0.name) && text.contains($0.name) }
    guard !views.isEmpty else { return }
    try file.connection.allowEverything()
    var failure: StoreError?
    do throws(StoreError) {
      try file.connection.execute("PRAGMA query_only = OFF")
      for view in views {
        try file.connection.execute("CREATE TEMP \(view.statement.dropFirst("CREATE ".count))")
        addedViews.insert(view.name)
      }
    } catch { failure = error }
    // Also after a failure the next statement may only read.
    do throws(StoreError) { try file.connection.execute("PRAGMA query_only = ON") } catch { failure = failure ?? error }
    try file.connection.allowOnlyReading()
    if let failure { throw failure }
  }

  /// Compiles one statement and returns its rows, each of which is computed when it is requested.
  ///
  /// - Throws: ``StoreError/Code/statement`` with SQLite's message for a statement that is not valid, or that does
  ///   more than read.
  public func rows(of text: String) throws(StoreError) -> Rows {
    try file.checkReadable()
    try addViews(namedIn: text)
    return Rows(try file.connection.prepareOne(text), of: file)
  }

  /// The rows of one statement, in order.
  public struct Rows: ~Copyable {
    /// The names of the columns.
    public let columns: [String]
    private var statement: Statement
    /// The open file, from which the unpacked tables read, so that it must live as long as the rows.
    private let file: StoreFile

    init(_ statement: consuming Statement, of file: StoreFile) {
      columns = statement.columnNames
      self.statement = statement
      self.file = file
    }

    /// The next row, with a value for each column; nil after the last one.
    ///
    /// - Throws: ``StoreError/Code/corrupt(object:)`` for a row of a damaged object; ``StoreError/Code/statement``
    ///   for an error in the statement, such as a value that is too long.
    public mutating func next() throws(StoreError) -> [SQLValue]? {
      do throws(StoreError) {
        guard try statement.step() else { return nil }
      } catch {
        throw file.connection.reason(of: error)
      }
      return (0..<Int32(clamping: columns.count)).map { statement.value($0) }
    }
  }
}

/// A value in a row from ``ReadOnlySQL``: SQLite's five types.
public enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension SQLValue {
  init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
  init(_ real: Double?) { self = real.map { .real($0) } ?? .null }
  init(_ text: String?) { self = text.map { .text($0) } ?? .null }
  init(_ uuid: UUID) { self = .blob(uuid.bytes) }
  init(_ time: Timestamp) { self = .integer(time.microseconds) }
}

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

  /// Removes the restriction of ``allowOnlyReading()``, for statements of this program.
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
