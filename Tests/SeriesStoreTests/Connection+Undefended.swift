import CSQLite

@testable import SeriesStore

extension Connection {
  /// A connection as that of another program: views and triggers run, and declarations can be written.
  static func undefended(_ path: String, flags: Int32 = SQLITE_OPEN_READWRITE) throws -> Connection {
    let connection = try Connection(path, flags: flags)
    let settings: [(Int32, Int32)] = [
      (SQLITE_DBCONFIG_DEFENSIVE, 0), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 1),
      (SQLITE_DBCONFIG_ENABLE_VIEW, 1),
    ]
    for (setting, value) in settings {
      try connection.check(unsafe csqlite_configure(connection.handle, setting, value))
    }
    connection.liftStatementLimit()
    connection.limitValues(toBytes: 1_000_000_000)
    connection.budget.limit = nil
    return connection
  }
}
