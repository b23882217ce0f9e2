internal import CPostgreSQL
internal import Centre
internal import FoundationEssentials
internal import Support

/// A connection to a server of PostgreSQL's protocol; ends with the value. Every call waits for the server.
///
/// A server may be broken, or somebody else's: of an answer nothing is used, and little is in memory, that has another shape than was
/// asked for.
@safe
struct Database: ~Copyable {
  private let handle: OpaquePointer
  /// The server's socket and the near end of the pair that libpq reads from.
  private let ends: [Int32]
  /// Why nothing more can be asked: of a wrong answer the rest still comes.
  private var refusal: DatabaseFailure?
  /// Reports ``silence``.
  private let reportSilence: () -> Void

  /// Milliseconds in which no byte comes or goes, before that is reported, and how many times that until the connection ends: a part is
  /// half an hour on its way at 1 kB/s, where a proxy takes it at once, and the server cancels what takes it long (`statement_timeout`).
  private static let patience: Int32 = 30_000
  private static let mostSilences = 60
  /// The first of these.
  static let silence = "the centre: no answer for 30 s"

  /// The result of a statement.
  struct Answer: Hashable, Sendable {
    /// The rows, as texts; a `bytea` as `\x` and hexadecimal digits.
    var rows: [[String?]]
    /// The rows that were inserted, changed or deleted.
    var count: Int
  }

  /// The limits of an answer: the kinds of its columns, and how much there is of it at most. Empty for what gives no rows.
  struct Shape: ExpressibleByArrayLiteral, Sendable {
    /// Nil where any columns may come.
    var kinds: [CentreTable.Kind]?
    /// The number of rows, where they are not collected.
    var rows = Int.max
    /// The bytes of a text or a `bytea`, as text.
    var text = 1024
    /// The bytes of all rows, where they are collected.
    var collected = 16 << 20

    init(arrayLiteral kinds: CentreTable.Kind...) { self.kinds = kinds }

    init(
      _ kinds: [CentreTable.Kind]?, rows: Int = .max, text: Int = 1024, collected: Int = 16 << 20
    ) {
      (self.kinds, self.rows, self.text, self.collected) = (kinds, rows, text, collected)
    }

    /// Whole rows of a table that objects refer to, or of a device: names.
    static func named(_ table: CentreTable) -> Shape {
      Shape(table.columns.map(\.kind), text: 1 << 20)
    }

    /// The bytes of one row, with what else a server may send beside it.
    fileprivate var bytes: Int64 {
      let wide = kinds.map { $0.count { [.text, .json, .bytea].contains($0) } } ?? 1
      return Int64(65_536 + min(wide, 4) * text)
    }

    /// Whether a text is a value of a column.
    fileprivate func admits(_ value: String, at column: Int) -> Bool {
      guard let kinds else { return true }
      switch kinds[column] {
      case .text, .json: return value.utf8.count <= text
      case .bigint: return Int64(value) != nil
      case .integer: return Int32(value) != nil
      case .real: return value.utf8.count < 64 && Double(value) != nil
      case .uuid: return UUID(uuidString: value)?.text == value
      case .bytea:
        return value.utf8.count <= text && value.hasPrefix("\\x") && value.utf8.count % 2 == 0
          && value.utf8.dropFirst(2).allSatisfy { Hexadecimal.value($0) != nil }
      }
    }
  }

  /// Connects with libpq's parameters.
  init(
    _ parameters: [(keyword: String, value: String)], reportSilence: @escaping () -> Void = {}
  ) throws(DatabaseFailure) {
    var texts = Texts(parameters.flatMap { [.text($0.keyword), .text($0.value)] })
    let connected = unsafe texts.withPointers { pointers, _, _ in
      let keywords = unsafe stride(from: 0, to: pointers.count, by: 2).map { unsafe pointers[$0] } + [nil]
      let values = unsafe stride(from: 1, to: pointers.count, by: 2).map { unsafe pointers[$0] } + [nil]
      return unsafe cpostgresql_connect(keywords, values)
    }
    guard let handle = unsafe connected else {
      throw DatabaseFailure(connecting: "there is no memory for a connection")
    }
    guard unsafe PQstatus(handle) == CONNECTION_OK else {
      let message = unsafe String(cString: PQerrorMessage(handle))
      unsafe PQfinish(handle)
      throw DatabaseFailure(connecting: message)
    }
    // Notices of a server are not for this program's output.
    _ = unsafe PQsetNoticeProcessor(handle, { _, _ in }, nil)
    var ends: [Int32] = [-1, -1]
    guard unsafe cpostgresql_divert(handle, &ends) == 0 else {
      unsafe PQfinish(handle)
      throw DatabaseFailure(connecting: "there is no socket left; end other programs")
    }
    self.ends = ends
    self.reportSilence = reportSilence
    unsafe self.handle = unsafe handle
  }

  deinit { unsafe cpostgresql_finish(handle, ends) }

  /// Runs one statement; `fields` are $1, $2 …
  @discardableResult
  mutating func run(_ statement: String, _ fields: [Field] = [], _ shape: Shape = []) throws(DatabaseFailure) -> Answer
  {
    var rows: [[String?]] = []
    var bytes = 0
    let count = try each(statement, fields, shape) { (row) throws(DatabaseFailure) in
      // A row is an array, and each text that is not short one of its own.
      bytes += row.reduce(32) { $0 + 16 + ($1.map { $0.utf8.count > 15 ? $0.utf8.count + 32 : 0 } ?? 0) }
      guard bytes <= shape.collected else { throw DatabaseFailure(wrong: "it is larger than \(shape.collected) bytes") }
      rows.append(row)
    }
    return Answer(rows: rows, count: count)
  }

  /// Runs one statement, and gives one row after the other; the number of rows that were inserted, changed or deleted. For answers
  /// whose number of rows nobody knows.
  @discardableResult
  mutating func each(
    _ statement: String, _ fields: [Field], _ shape: Shape,
    _ body: ([String?]) throws(DatabaseFailure) -> Void
  ) throws(DatabaseFailure) -> Int {
    if let refusal { throw refusal }
    var texts = Texts(fields)
    let handle = unsafe handle
    var isSent: Int32 = 0
    _ = unsafe texts.withPointers { pointers, lengths, formats in
      isSent = unsafe PQsendQueryParams(handle, statement, Int32(pointers.count), nil, pointers, lengths, formats, 0)
      return nil
    }
    guard isSent == 1 else { throw DatabaseFailure.closed }
    unsafe PQsetSingleRowMode(handle)
    do throws(DatabaseFailure) { return try answer(shape, body) } catch {
      if error.isWrongAnswer { refusal = error }
      throw error
    }
  }

  /// Runs several statements without parameters, all or none.
  mutating func runScript(_ script: String) throws(DatabaseFailure) {
    guard unsafe PQsendQuery(handle, script) == 1 else { throw DatabaseFailure.closed }
    _ = try answer(Shape(nil), mostResults: Int.max) { _ throws(DatabaseFailure) in }
  }

  private mutating func answer(
    _ shape: Shape, mostResults: Int = 1, _ body: ([String?]) throws(DatabaseFailure) -> Void
  ) throws(DatabaseFailure) -> Int {
    var (rows, results, count) = (0, 0, 0)
    var failure: DatabaseFailure?
    while true {
      try wait(shape.bytes)
      guard let result = unsafe PQgetResult(handle) else { break }
      defer { unsafe PQclear(result) }
      switch unsafe PQresultStatus(result) {
      case PGRES_SINGLE_TUPLE:
        rows += 1
        guard rows <= shape.rows else { throw DatabaseFailure(wrong: "it has more than \(shape.rows) rows") }
        try body(try unsafe Self.row(of: result, shape))
        continue
      case PGRES_TUPLES_OK where unsafe shape.kinds == nil || shape.kinds?.count == Int(PQnfields(result)): break
      case PGRES_TUPLES_OK: throw DatabaseFailure(wrong: "it has other columns")
      case PGRES_COMMAND_OK where shape.kinds?.isEmpty ?? true: break
      case PGRES_COMMAND_OK: throw DatabaseFailure(wrong: "it has no columns")
      case PGRES_FATAL_ERROR: if failure == nil { failure = unsafe Self.failure(result, of: handle) }
      default: throw DatabaseFailure(wrong: "it is of another kind")
      }
      count = unsafe Int(String(cString: PQcmdTuples(result))) ?? 0
      results += 1
      guard results <= mostResults || failure != nil && results <= mostResults + 1 else {
        throw DatabaseFailure(wrong: "there are two of them")
      }
    }
    while let heard = unsafe PQnotifies(handle) { unsafe PQfreemem(heard) }
    if let failure { throw failure }
    // In place of rows nothing at all.
    guard results > 0 else { throw DatabaseFailure.closed }
    return count
  }

  /// Waits until there is a result, or a row.
  private func wait(_ bytes: Int64) throws(DatabaseFailure) {
    for silence in 1...Self.mostSilences {
      switch unsafe cpostgresql_wait(handle, ends, bytes, Self.patience) {
      case 0: return
      case 1: if silence == 1 { reportSilence() }
      default: throw DatabaseFailure(wrong: "a row of it is larger than \(bytes) bytes")
      }
    }
    throw DatabaseFailure(state: "08006", message: "the server gave no answer for 30 min, so the connection was ended")
  }

  private static func row(of result: OpaquePointer, _ shape: Shape) throws(DatabaseFailure) -> [String?] {
    let columns = unsafe PQnfields(result)
    guard shape.kinds == nil || shape.kinds?.count == Int(columns) else {
      throw DatabaseFailure(wrong: "it has \(columns) columns")
    }
    var row: [String?] = []
    for column in 0..<columns {
      guard unsafe PQgetisnull(result, 0, column) == 0 else {
        row.append(nil)
        continue
      }
      let value = unsafe String(cString: PQgetvalue(result, 0, column))
      guard shape.admits(value, at: Int(column)) else {
        throw DatabaseFailure(wrong: "column \(column + 1) has no value of its kind")
      }
      row.append(value)
    }
    return row
  }

  private static func failure(_ result: OpaquePointer, of handle: OpaquePointer) -> DatabaseFailure {
    guard let state = unsafe field(cpostgresql_diagnostic_state, of: result) else {
      // Of libpq itself, in English.
      return DatabaseFailure(library: unsafe String(cString: PQresultErrorMessage(result)))
    }
    guard unsafe PQstatus(handle) == CONNECTION_OK else { return .closed }
    // Of a node that one server cannot reach, the detail alone says why.
    let detail = unsafe state == "08001" ? field(cpostgresql_diagnostic_detail, of: result) : nil
    let primary = unsafe field(cpostgresql_diagnostic_primary, of: result) ?? "no reason given"
    return DatabaseFailure(state: state, primary: detail.map { "\(primary): \($0)" } ?? primary)
  }

  private static func field(_ code: Int32, of result: OpaquePointer?) -> String? {
    unsafe PQresultErrorField(result, code).map { unsafe String(cString: $0) }
  }
}

/// Fields in one piece of memory, each ended by a zero.
private struct Texts {
  private var bytes: [CChar] = []
  private var places: [Int?] = []
  private var lengths: [Int32] = []
  private var formats: [Int32] = []

  init(_ fields: [Field]) {
    for field in fields {
      switch field {
      case .null: add([], at: nil, format: 0)
      case .text(let text): add(Array(text.utf8), at: bytes.count, format: 0)
      case .bytes(let value): add(value, at: bytes.count, format: 1)
      }
    }
  }

  private mutating func add(_ value: [UInt8], at place: Int?, format: Int32) {
    places.append(place)
    lengths.append(Int32(clamping: value.count))
    formats.append(format)
    for byte in value { bytes.append(CChar(bitPattern: byte)) }
    bytes.append(0)
  }

  mutating func withPointers(
    _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> OpaquePointer?
  ) -> OpaquePointer? {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      let base = buffer.baseAddress
      let pointers = unsafe places.map { place in
        unsafe place.flatMap { place in unsafe base.map { unsafe $0 + place } }
      }
      return unsafe body(pointers, lengths, formats)
    }
  }
}
