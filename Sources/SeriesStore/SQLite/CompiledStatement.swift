import CSQLite

/// SQLite's compiled form of a statement, which its connection keeps for reuse.
@safe
final class CompiledStatement {
  let handle: OpaquePointer
  /// Whether a ``Statement`` uses it now.
  var isInUse = true
  /// Whether it returns to the connection's cache after use, and is not finalized.
  var isKept = false
  /// When it was last returned, as a running number of such returns.
  private(set) var retired: UInt64 = 0

  init(_ handle: OpaquePointer) {
    unsafe self.handle = unsafe handle
  }

  /// Prepares it for the next use: it keeps no rows and values of the last one.
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

  /// Finalizes it in SQLite; it must not be used afterwards.
  func finalize() {
    unsafe sqlite3_finalize(handle)
  }
}
