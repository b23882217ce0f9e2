import CSQLite

/// A store may come from anybody: what its declarations ask for does not run, and takes no memory.
extension Connection {
  /// In bytes: a value or row that is longer is an error. Nothing that is stored is as long, but a declaration can make anything.
  private static let longestValue: Int32 = 16 << 20
  /// In bytes: the longest text of one declaration, while the file's are read.
  private static let longestDeclaration: Int32 = 1 << 20

  /// Turns on what SQLite has against hostile files (sqlite.org/security.html); before the first statement.
  ///
  /// Views and triggers of the file do not run, also those that are there by the time of a later statement. Views of the
  /// program's own are temporary ones. Declarations cannot call the functions of this program, nor those with effects.
  func defend() throws(StoreError) {
    let settings: [(Int32, Int32)] = [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
      (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    ]
    for (setting, value) in settings { try check(unsafe csqlite_configure(handle, setting, value)) }
    limitValues(toBytes: Self.longestValue)
    longestStatement = unsafe sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, Self.longestDeclaration)
    unsafe sqlite3_progress_handler(
      handle, WorkBudget.period,
      { budget in
        guard let budget = unsafe budget else { return 0 }
        return unsafe Unmanaged<WorkBudget>.fromOpaque(budget).takeUnretainedValue().spend() ? 0 : 1
      }, Unmanaged.passUnretained(budget).toOpaque())
  }

  /// Lets statements of this program be as long as SQLite allows, when the file's declarations have been read.
  func liftStatementLimit() {
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, longestStatement)
  }

  /// Flags of a function that this program's own statements may call (`SQLITE_DIRECTONLY`), and no declaration.
  static let directOnly: Int32 = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
}
