import CSQLite
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
/// views: 32 hexadecimal digits. A condition `session = …` or `sample = …` unpacks only what it names.
///
/// Nothing can be written: the file is open for reading, the connection refuses to write, and statements that would
/// change anything, or attach another file, are refused before they run. Everything runs on the caller's thread.
public final class ReadOnlySQL {
  private let file: StoreFile
  private var addedViews: Set<String> = []

  /// In bytes: longer texts, blobs and rows are errors. Nothing stored is as long, but a statement can construct anything.
  static let longestValue: Int32 = 8 << 20

  /// Opens the store at `path`; the errors are those of ``HealthStore/open(_:for:mode:)``.
  public init(_ path: String) throws(StoreError) {
    file = try StoreFile(path, for: .reading, mode: 0)
    // A person's own statement ends when that person ends it.
    file.connection.budget.limit = nil
    try file.connection.execute("PRAGMA temp_store = MEMORY")
    try file.connection.execute("PRAGMA query_only = ON")
    for table in SampleContents.all.flatMap({ $0.unpackedTables }) { try file.connection.addTable(table) }
    try file.connection.allowOnlyReading()
    file.connection.limitValues(toBytes: Self.longestValue)
  }

  /// Adds the views that a statement names, as temporary ones: those of the file do not run, since they may be anybody's. All of
  /// them would take as long as the rest of the opening.
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
    // Whatever has failed, the next statement may only read.
    do throws(StoreError) { try file.connection.execute("PRAGMA query_only = ON") } catch { failure = failure ?? error }
    try file.connection.allowOnlyReading()
    if let failure { throw failure }
  }

  /// Compiles one statement. If it is not valid, throws ``StoreError/Code/statement`` with SQLite's message.
  ///
  /// Each row is computed when it is requested; a damaged object is an error that names it.
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
    /// The unpacked tables read from it, so it must live as long as the rows.
    private let file: StoreFile

    init(_ statement: consuming Statement, of file: StoreFile) {
      columns = statement.columnNames
      self.statement = statement
      self.file = file
    }

    /// The next row, with a value for each column; nil after the last one.
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
