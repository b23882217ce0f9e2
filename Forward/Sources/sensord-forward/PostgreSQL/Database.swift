internal import CPostgreSQL
internal import Centre

/// A connection to a server of PostgreSQL's protocol; ends with the value. Every call waits for the server.
@safe
struct Database: ~Copyable {
  private let handle: OpaquePointer

  /// The result of a statement.
  struct Answer: Hashable, Sendable {
    /// The rows, as texts; a `bytea` as `\x` and hexadecimal digits.
    var rows: [[String?]]
    /// The rows that were inserted, changed or deleted.
    var count: Int
  }

  /// Connects with libpq's parameters.
  init(_ parameters: [(keyword: String, value: String)]) throws(DatabaseFailure) {
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
    unsafe self.handle = unsafe handle
  }

  deinit { unsafe PQfinish(handle) }

  /// Runs one statement; `fields` are $1, $2 …
  @discardableResult
  mutating func run(_ statement: String, _ fields: [Field] = []) throws(DatabaseFailure) -> Answer {
    var texts = Texts(fields)
    let handle = unsafe handle
    let answered = unsafe texts.withPointers { pointers, lengths, formats in
      unsafe PQexecParams(handle, statement, Int32(pointers.count), nil, pointers, lengths, formats, 0)
    }
    return unsafe try Self.answer(answered, of: handle)
  }

  /// Runs several statements without parameters, all or none.
  mutating func runScript(_ script: String) throws(DatabaseFailure) {
    _ = unsafe try Self.answer(PQexec(handle, script), of: handle)
  }

  private static func answer(_ result: OpaquePointer?, of handle: OpaquePointer) throws(DatabaseFailure) -> Answer {
    defer { unsafe PQclear(result) }
    let status = unsafe PQresultStatus(result)
    guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
      guard unsafe PQstatus(handle) == CONNECTION_OK, let state = unsafe field(cpostgresql_diagnostic_state, of: result)
      else {
        throw DatabaseFailure(state: "08006", message: "the server closed the connection (SQLSTATE 08006)")
      }
      // Of a node that one server cannot reach, the detail alone says why.
      let detail = unsafe state == "08001" ? field(cpostgresql_diagnostic_detail, of: result) : nil
      let primary = unsafe field(cpostgresql_diagnostic_primary, of: result) ?? "no reason given"
      throw DatabaseFailure(state: state, primary: detail.map { "\(primary): \($0)" } ?? primary)
    }
    var rows: [[String?]] = []
    let columns = unsafe PQnfields(result)
    for row in 0..<(unsafe PQntuples(result)) {
      rows.append(
        (0..<columns).map { column in
          unsafe PQgetisnull(result, row, column) != 0 ? nil : unsafe String(cString: PQgetvalue(result, row, column))
        })
    }
    return Answer(rows: rows, count: unsafe Int(String(cString: PQcmdTuples(result))) ?? 0)
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
