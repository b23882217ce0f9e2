import CSQLite
import SeriesStore
import Support

/// A file as every program with SQLite sees it, with the store's own checksum of rows as a function of SQL
/// (Documentation/store-format.md).
@safe
final class Database {
  /// What SQLite says of a statement that it does not run.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let handle: OpaquePointer

  init(_ path: String) throws {
    var opened: OpaquePointer?
    guard unsafe sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK,
      let handle = unsafe opened
    else { throw Failure(description: "\(path) cannot be opened") }
    unsafe self.handle = unsafe handle
    unsafe sqlite3_create_function_v2(
      // Written again on purpose: it checks the store's own.
      handle, "row_checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
      { context, count, values in
        var checksum = CRC32C()
        for index in 0..<Int(count) {
          guard let value = unsafe values?[index] else { continue }
          unsafe Database.add(value, to: &checksum)
        }
        unsafe sqlite3_result_int64(context, Int64(Int32(bitPattern: checksum.value)))
      }, nil, nil, nil)
  }

  deinit {
    unsafe sqlite3_close_v2(handle)
  }

  private static func add(_ value: OpaquePointer, to checksum: inout CRC32C) {
    func add(_ kind: UInt8, _ bytes: UnsafeRawPointer?) {
      let count = Int(unsafe sqlite3_value_bytes(value))
      checksum.add(byte: kind)
      checksum.add(word: UInt64(count))
      unsafe checksum.add(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count).bytes)
    }
    switch unsafe sqlite3_value_type(value) {
    case SQLITE_INTEGER:
      checksum.add(byte: 1)
      checksum.add(word: UInt64(bitPattern: unsafe sqlite3_value_int64(value)))
    case SQLITE_FLOAT:
      let real = unsafe sqlite3_value_double(value)
      checksum.add(byte: 2)
      checksum.add(word: real == 0 ? 0 : real.bitPattern)
    case SQLITE_TEXT: unsafe add(3, sqlite3_value_text(value))
    case SQLITE_BLOB: unsafe add(4, sqlite3_value_blob(value))
    default: checksum.add(byte: 0)
    }
  }

  /// Runs statements without parameters, and drops their rows.
  func execute(_ text: String) throws {
    guard unsafe sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  /// The rows of one statement whose parameters are ?1, ?2 …
  @discardableResult
  func rows(_ text: String, _ arguments: SQLValue...) throws -> [[SQLValue]] {
    var statement: OpaquePointer?
    guard unsafe sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK else { throw failure() }
    defer { unsafe sqlite3_finalize(statement) }
    for (index, argument) in arguments.enumerated() { unsafe bind(argument, to: statement, at: Int32(index + 1)) }
    var rows: [[SQLValue]] = []
    while true {
      switch unsafe sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append((0..<(unsafe sqlite3_column_count(statement))).map { unsafe value(of: statement, $0) })
      case SQLITE_DONE: return rows
      default: throw failure()
      }
    }
  }

  /// The first column of the first row, as an integer; 0 where there is none.
  func integer(_ text: String) throws -> Int64 {
    if case .integer(let integer)? = try rows(text).first?.first { integer } else { 0 }
  }

  private func failure() -> Failure {
    Failure(description: unsafe String(cString: sqlite3_errmsg(handle)))
  }

  private func bind(_ value: SQLValue, to statement: OpaquePointer?, at index: Int32) {
    let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch value {
    case .null: unsafe sqlite3_bind_null(statement, index)
    case .integer(let integer): unsafe sqlite3_bind_int64(statement, index, integer)
    case .real(let real): unsafe sqlite3_bind_double(statement, index, real)
    case .text(let text): unsafe sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), transient)
    case .blob(let bytes) where bytes.isEmpty: unsafe sqlite3_bind_zeroblob(statement, index, 0)
    case .blob(let bytes): unsafe sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), transient)
    }
  }

  private func value(of statement: OpaquePointer?, _ column: Int32) -> SQLValue {
    let count = Int(unsafe sqlite3_column_bytes(statement, column))
    switch unsafe sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      let start = unsafe sqlite3_column_text(statement, column)
      return .text(unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let start = unsafe sqlite3_column_blob(statement, column)
      return .blob(unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)))
    default: return .null
    }
  }
}
