import CSQLite
import Glibc

/// Defences against the file of a store, which may come from anybody: nothing in its declarations runs or fills the
/// memory.
extension Connection {
  /// The longest value or row in bytes; a longer one is an error. No stored value is as long, but a declaration can
  /// construct longer ones.
  private static let longestValue: Int32 = 16 << 20
  /// The longest text of one declaration in bytes, while the declarations of the file are read.
  private static let longestDeclaration: Int32 = 1 << 20

  /// Turns on SQLite's defences against hostile files (sqlite.org/security.html); to be called before the first
  /// statement.
  ///
  /// Views and triggers of the file do not run, even if they are added before a later statement. The program's own
  /// views are temporary ones. Declarations can call neither the functions of this program nor functions with effects.
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

/// The scope of one budget of work: each answer, or all answers together.
public enum WorkLimit: Hashable, Sendable {
  /// Each answer and each change has a separate budget: for programs that have a store open for long.
  case each
  /// All answers and changes share one budget until the store is closed: for a command.
  case inAll
}

/// The work that SQLite may do, in steps of its virtual machine: 10 million, and 20 for each byte of the file. A row
/// that SQLite returns counts as 200.
///
/// A file of 8 KB can have 10¹⁰ rows, if the inner pages of a tree refer to the same page again and again. Statements over
/// sound files take 0.1 to 1.2 steps a byte.
final class WorkBudget {
  /// The number of steps after which SQLite asks whether to go on.
  static let period: Int32 = 10_000
  private static let least: Int64 = 10_000_000
  private static let perByte: Int64 = 20
  private static let perRow: Int64 = 200

  private let path: String
  /// The scope of the budget; nil without a limit, for statements that a person has written.
  var limit: WorkLimit?
  private var spent: Int64 = 0
  /// The number of steps that may be spent by the last known size of the file, which is looked up when they do not
  /// suffice: files grow.
  private var allowed = WorkBudget.least

  init(_ limit: WorkLimit, for path: String) {
    self.limit = limit
    self.path = path
  }

  /// Begins an answer or a change.
  func begin() {
    if limit == .each { spent = 0 }
  }

  /// Spends one period; false if nothing is left.
  func spend() -> Bool {
    guard limit != nil else { return true }
    spent += Int64(Self.period)
    if spent > allowed { allowed = Self.least + Self.perByte * bytes() }
    return spent <= allowed
  }

  /// Spends the cost of a row that SQLite returns: the program stores a part of most rows in memory.
  func spendRow() { spent += Self.perRow }

  /// The size of the file and of its log.
  private func bytes() -> Int64 {
    var sum: Int64 = 0
    for suffix in ["", "-wal"] {
      var status = stat()
      if unsafe stat(path + suffix, &status) == 0 { sum += Int64(status.st_size) }
    }
    return sum
  }
}
