import CSQLite

/// What SQLite made of a statement's text, which its connection keeps for the next use.
@safe
final class CompiledStatement {
  let handle: OpaquePointer
  /// Whether a ``Statement`` has it now.
  var isInUse = true
  /// Whether it goes back to the connection, and not away, when that is done.
  var isKept = false
  /// When it came back the last time, counted in such returns.
  private(set) var retired: UInt64 = 0

  init(_ handle: OpaquePointer) {
    unsafe self.handle = unsafe handle
  }

  /// Makes it ready for the next use: it holds no rows and no values of the last one.
  func retire(as number: UInt64) {
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
    retired = number
    isInUse = false
  }

  /// Gives it back to SQLite; nobody may use it afterwards.
  func finalize() {
    unsafe sqlite3_finalize(handle)
  }
}
