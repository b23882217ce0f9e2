import CSQLite

/// A table that is not in the file: its rows are unpacked when a statement reads them.
///
/// An eponymous virtual table of SQLite (sqlite.org/vtab.html, section 2.1): it exists without being created.
enum UnpackedTable: String, CaseIterable {
  case rates
  case beats
  case quantities
  case locations

  /// The declaration of the columns for SQLite.
  var declaration: String {
    switch self {
    case .rates:
      """
      CREATE TABLE rates (time TEXT, bpm NUMERIC, contact TEXT, energy_kj INTEGER, time_us INTEGER, session TEXT,
        sample TEXT)
      """
    case .beats:
      """
      CREATE TABLE beats (time TEXT, run INTEGER, "index" INTEGER, rr_ticks INTEGER, rr_ms REAL,
        preceded_by_gap INTEGER, flags TEXT, time_us INTEGER, session TEXT, sample TEXT)
      """
    case .quantities:
      """
      CREATE TABLE quantities (time TEXT, "end" TEXT, value REAL, unit TEXT, type TEXT, source TEXT, device TEXT,
        time_us INTEGER, end_us INTEGER, session TEXT, sample TEXT)
      """
    case .locations:
      """
      CREATE TABLE locations (time TEXT, latitude REAL, longitude REAL, altitude REAL, horizontal_accuracy REAL,
        vertical_accuracy REAL, speed REAL, course REAL, time_us INTEGER, session TEXT, sample TEXT)
      """
    }
  }

  /// The columns by which a statement may select what is unpacked, for instance columns 8 and 9 of beats.
  var sessionColumn: Int32 {
    switch self {
    case .rates: 5
    case .beats: 8
    case .quantities, .locations: 9
    }
  }

  var sampleColumn: Int32 { sessionColumn + 1 }

  /// The estimated cost of a whole table, so that SQLite prefers to select a session first.
  private static let wholeTable = 1e7
  private static let oneSession = 1e4

  /// `SQLITE_CORRUPT_VTAB`, a macro that Swift does not import: the source of a row is damaged.
  static let corrupt: Int32 = SQLITE_CORRUPT | 1 << 8

  /// The table of a module and the source of its values, on the connection that owns this.
  final class Context {
    let table: UnpackedTable
    unowned let connection: Connection

    init(table: UnpackedTable, connection: Connection) {
      self.table = table
      unowned let connection = connection
      self.connection = connection
    }
  }

  /// SQLite's structure for a table; SQLite's own part is first.
  @unsafe private struct Table {
    var base = unsafe sqlite3_vtab()
    var context: Unmanaged<Context>
  }

  /// SQLite's structure for a cursor; SQLite's own part is first.
  @unsafe private struct Walk {
    var base = unsafe sqlite3_vtab_cursor()
    var cursor: Unmanaged<UnpackedCursor>
  }

  /// The functions by which SQLite reads the tables; they live as long as the process.
  nonisolated(unsafe) static let module: UnsafePointer<sqlite3_module> = {
    let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    var functions = sqlite3_module()
    // Without xCreate the table exists for every statement and cannot be created.
    unsafe functions.xConnect = { connection, context, _, _, result, _ in
      unsafe UnpackedTable.connect(connection, context, result)
    }
    unsafe functions.xBestIndex = { table, info in unsafe UnpackedTable.plan(table, info) }
    unsafe functions.xDisconnect = { table in
      guard let table = unsafe table else { return SQLITE_OK }
      unsafe UnsafeMutableRawPointer(table).assumingMemoryBound(to: Table.self).deallocate()
      return SQLITE_OK
    }
    unsafe functions.xOpen = { table, result in unsafe UnpackedTable.open(table, result) }
    unsafe functions.xClose = { walk in
      guard let walk = unsafe walk else { return SQLITE_OK }
      let storage = unsafe UnsafeMutableRawPointer(walk).assumingMemoryBound(to: Walk.self)
      unsafe storage.pointee.cursor.release()
      unsafe storage.deallocate()
      return SQLITE_OK
    }
    unsafe functions.xFilter = { walk, choice, _, count, values in
      let arguments = (0..<Int(count)).map { unsafe UnpackedTable.text(of: values?[$0]) }
      return unsafe UnpackedTable.move(walk) { (cursor) throws(StoreError) in
        try cursor.begin(
          session: choice & 1 != 0 ? arguments.first ?? nil : nil,
          sample: choice & 2 != 0 ? arguments.last ?? nil : nil, isRestricted: choice)
      }
    }
    unsafe functions.xNext = { walk in
      unsafe UnpackedTable.move(walk) { (cursor) throws(StoreError) in try cursor.advance() }
    }
    unsafe functions.xEof = { walk in unsafe UnpackedTable.cursor(walk)?.isAtEnd ?? true ? 1 : 0 }
    unsafe functions.xColumn = { walk, context, column in
      guard let context = unsafe context else { return SQLITE_MISUSE }
      unsafe UnpackedTable.cursor(walk)?.value(column).give(to: context)
      return SQLITE_OK
    }
    unsafe functions.xRowid = { walk, result in
      unsafe result?.pointee = UnpackedTable.cursor(walk)?.row ?? 0
      return SQLITE_OK
    }
    unsafe module.initialize(to: functions)
    return unsafe UnsafePointer(module)
  }()

  private static func connect(
    _ connection: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?
  ) -> Int32 {
    guard let context = unsafe context else { return SQLITE_MISUSE }
    let owner = unsafe Unmanaged<Context>.fromOpaque(context)
    let code = unsafe sqlite3_declare_vtab(connection, owner.takeUnretainedValue().table.declaration)
    guard code == SQLITE_OK else { return code }
    let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    unsafe table.initialize(to: Table(context: owner))
    unsafe result?.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
    return SQLITE_OK
  }

  private static func context(_ table: UnsafeMutablePointer<sqlite3_vtab>) -> Context {
    unsafe UnsafeMutableRawPointer(table).assumingMemoryBound(to: Table.self).pointee.context.takeUnretainedValue()
  }

  /// Plans a statement: chooses which of `session = …` and `sample = …` selects the rows.
  private static func plan(
    _ table: UnsafeMutablePointer<sqlite3_vtab>?, _ info: UnsafeMutablePointer<sqlite3_index_info>?
  ) -> Int32 {
    guard let table = unsafe table, let info = unsafe info else { return SQLITE_MISUSE }
    let kind = unsafe context(table).table
    var choice: Int32 = 0
    var count: Int32 = 0
    for (bit, column) in [(1, kind.sessionColumn), (2, kind.sampleColumn)] as [(Int32, Int32)] {
      for index in 0..<Int(unsafe info.pointee.nConstraint) {
        let constraint = unsafe info.pointee.aConstraint[index]
        guard constraint.usable != 0, constraint.iColumn == column,
          constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ)
        else { continue }
        count += 1
        choice |= bit
        unsafe info.pointee.aConstraintUsage[index].argvIndex = count
        break
      }
    }
    unsafe info.pointee.idxNum = choice
    unsafe info.pointee.estimatedCost = choice == 0 ? wholeTable : oneSession
    unsafe info.pointee.estimatedRows = Int64(choice == 0 ? wholeTable : oneSession)
    return SQLITE_OK
  }

  private static func open(
    _ table: UnsafeMutablePointer<sqlite3_vtab>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
  ) -> Int32 {
    guard let table = unsafe table else { return SQLITE_MISUSE }
    let context = unsafe context(table)
    let cursor = unsafe Unmanaged.passRetained(UnpackedCursor(context.table, on: context.connection))
    let walk = UnsafeMutablePointer<Walk>.allocate(capacity: 1)
    unsafe walk.initialize(to: Walk(cursor: cursor))
    unsafe result?.pointee = UnsafeMutableRawPointer(walk).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
    return SQLITE_OK
  }

  private static func cursor(_ walk: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnpackedCursor? {
    guard let walk = unsafe walk else { return nil }
    return unsafe UnsafeMutableRawPointer(walk).assumingMemoryBound(to: Walk.self).pointee.cursor
      .takeUnretainedValue()
  }

  /// Moves a cursor; an error is passed to SQLite with its message.
  private static func move(
    _ walk: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ body: (UnpackedCursor) throws(StoreError) -> Void
  ) -> Int32 {
    guard let walk = unsafe walk, let cursor = unsafe cursor(walk) else { return SQLITE_MISUSE }
    do throws(StoreError) {
      try body(cursor)
      return SQLITE_OK
    } catch {
      let table = unsafe walk.pointee.pVtab
      unsafe sqlite3_free(table?.pointee.zErrMsg)
      unsafe table?.pointee.zErrMsg = copy(error.message)
      return error.isCorrupt ? corrupt : SQLITE_IOERR
    }
  }

  /// A copy that SQLite may release.
  private static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? {
    let bytes = text.utf8CString
    guard let memory = unsafe sqlite3_malloc64(UInt64(bytes.count)) else { return nil }
    let characters = unsafe memory.assumingMemoryBound(to: CChar.self)
    for (index, byte) in bytes.enumerated() { unsafe characters[index] = byte }
    return unsafe characters
  }

  private static func text(of value: OpaquePointer?) -> String? {
    guard let value = unsafe value, let text = unsafe sqlite3_value_text(value) else { return nil }
    return unsafe String(cString: text)
  }
}

extension SQLValue {
  /// Returns this value to SQLite for the requested column.
  fileprivate func give(to context: OpaquePointer) {
    switch self {
    case .null: unsafe sqlite3_result_null(context)
    case .integer(let integer): unsafe sqlite3_result_int64(context, integer)
    case .real(let real): unsafe sqlite3_result_double(context, real)
    case .text(let text):
      unsafe sqlite3_result_text(context, text, Int32(clamping: text.utf8.count), Statement.transient)
    case .blob(let bytes):
      unsafe sqlite3_result_blob(context, bytes, Int32(clamping: bytes.count), Statement.transient)
    }
  }
}
