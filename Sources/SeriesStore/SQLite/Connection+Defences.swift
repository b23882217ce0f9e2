import CSQLite
import Glibc

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

/// For how much one budget of work has to suffice.
public enum WorkLimit: Hashable, Sendable {
  /// Each answer and each change has a budget of its own: for programs that have a store open for long.
  case each
  /// One for everything until the store is closed: for a command.
  case inAll
}

/// The work that SQLite may do, in steps of its virtual machine: 10 million, and 20 for each byte of the file. A row that it
/// hands over counts as 200.
///
/// A file of 8 KB can have 10¹⁰ rows, if the inner pages of a tree refer to the same page again and again. Statements over
/// sound files take 0.1 to 1.2 steps a byte.
final class WorkBudget {
  /// After how many steps SQLite asks.
  static let period: Int32 = 10_000
  private static let least: Int64 = 10_000_000
  private static let perByte: Int64 = 20
  private static let perRow: Int64 = 200

  private let path: String
  /// Nil where nothing limits the work: for statements that a person has written.
  var limit: WorkLimit?
  private var spent: Int64 = 0
  /// The most that may be spent, as far as was needed to know: looked up when it would not suffice, since files grow.
  private var allowed = WorkBudget.least

  init(_ limit: WorkLimit?, for path: String) {
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

  /// Spends what a row costs that is handed over: the program keeps something of most.
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
