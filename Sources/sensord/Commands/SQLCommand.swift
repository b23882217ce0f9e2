import ArgumentParser
import Bits
import Documents
import Recordings
import SeriesStore
import StoreCommands

/// `sensord sql QUERY`: any question to the store, with the unpacked values as tables.
struct SQLCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sql", abstract: "Ask the store anything in SQL; nothing can be changed.",
    usage: "sensord sql <query> [--csv | --json] [--store <file>]",
    discussion: """
      Tables of unpacked values beside the file's own tables and views:

      rates       time,bpm,contact,energy_kj,time_us,session,sample
      beats       time,run,index,rr_ticks,rr_ms,preceded_by_gap,flags,time_us,
                  session,sample
      quantities  time,end,value,unit,type,source,device,time_us,end_us,
                  session,sample
      locations   time,latitude,longitude,altitude,horizontal_accuracy,
                  vertical_accuracy,speed,course,time_us,session,sample

      'WHERE session = …' unpacks that session only; session_list names them, by
      32 digits without hyphens. Of columns called alike JSON numbers the later ones.
      Rows come as they are found; a table is as wide as its first 1000 need.

        sensord sql "SELECT id, start, beats FROM session_list"
        sensord sql "SELECT max(rr_ms) FROM beats WHERE flags = ''"
      """)

  @Argument(help: "One SELECT statement, as SQLite understands it.")
  var query: String

  @Flag(help: "Print the rows as CSV.")
  var csv = false

  @Flag(help: "Print the rows as JSON.")
  var json = false

  @OptionGroup var store: StoreOptions

  mutating func validate() throws {
    guard !csv || !json else { throw ValidationError("--csv and --json exclude each other") }
  }

  mutating func run() throws {
    let location = try store.location()
    let sql = try ReadOnlySQL(location.path)
    try SQLOutput.write(try sql.rows(of: query), as: json ? .json : csv ? .csv : .table)
  }
}

/// Rows of a statement as a person or a program reads them.
enum SQLOutput {
  /// The form of the rows.
  enum Form {
    case table
    case csv
    case json
  }

  /// A table's columns are as wide as so many rows need; the others follow as they come, however many there are.
  static let rowsOfLayout = 1000

  /// The rows that a table is laid out by are in memory together: no more of them than so many bytes.
  private static let bytesOfLayout = 4 << 20

  /// Writes all rows to `output` as they come.
  ///
  /// `room` is the greatest width of a table: on a terminal texts are cut where the rows are too wide, elsewhere never. For a
  /// terminal CSV is made printable too; a file or a program receives every character as it is stored.
  static func write(
    _ rows: consuming ReadOnlySQL.Rows, as form: Form,
    room: Int = StandardOutput.columns, toTerminal: Bool = StandardOutput.isTerminal,
    to output: ([UInt8]) throws -> Void = { try StandardOutput.write($0) }
  ) throws {
    guard form != .table else { return try writeTable(rows, room: room, to: output) }
    let columns = form == .json ? distinct(rows.columns) : rows.columns
    var pending: [UInt8] = []
    var count = 0
    if form == .csv { pending += line(columns, isPrintable: toTerminal) }
    while let row = try rows.next() {
      if form == .csv {
        pending += line(row.map(Self.plain), isPrintable: toTerminal)
      } else {
        pending += Array((count == 0 ? "[\n" : ",\n").utf8)
        JSONValue.object(zip(columns, row).map { JSONValue.Member($0, json($1)) }).write(to: &pending)
      }
      count += 1
      try flush(&pending, to: output, above: 1 << 16)
    }
    if form == .json { pending += Array((count == 0 ? "[]\n" : "\n]\n").utf8) }
    try flush(&pending, to: output)
  }

  /// Writes the rows as a table, with numbers at the right.
  private static func writeTable(
    _ rows: consuming ReadOnlySQL.Rows, room: Int, to output: ([UInt8]) throws -> Void
  ) throws {
    let columns = rows.columns
    var first: [[SQLValue]] = []
    var bytes = 0
    var isWhole = false
    while first.count < rowsOfLayout, bytes < bytesOfLayout {
      guard let row = try rows.next() else {
        isWhole = true
        break
      }
      bytes += row.reduce(0) { $0 + size(of: $1) }
      first.append(row)
    }
    // A statement without columns is rejected when it runs, if at all.
    guard !columns.isEmpty else { return }
    var table = TextTable(
      columns.indices.map { index in
        let isNumeric =
          first.contains { isNumber($0[index]) } && first.allSatisfy { isNumber($0[index]) || $0[index] == .null }
        return TextTable.Column(PrintableText.line(columns[index]), isNumeric ? .right : .left, shrinks: !isNumeric)
      })
    for row in first { table.add(row.map(cell)) }
    let layout = table.layout(columns: room)
    var pending = Array(table.rendered(in: layout).utf8)
    try flush(&pending, to: output)
    guard !isWhole else { return }
    while let row = try rows.next() {
      pending += Array(table.line(following: row.map(cell), in: layout).utf8)
      try flush(&pending, to: output, above: 1 << 16)
    }
    try flush(&pending, to: output)
  }

  /// Writes what is pending where it is more than `limit` bytes.
  private static func flush(
    _ pending: inout [UInt8], to output: ([UInt8]) throws -> Void, above limit: Int = 0
  ) throws {
    guard pending.count > limit else { return }
    try output(pending)
    pending.removeAll(keepingCapacity: true)
  }

  private static func cell(_ value: SQLValue) -> String {
    value == .null ? "NULL" : plain(value)
  }

  /// The names of an object's members: where two columns are called alike, the later one is numbered.
  private static func distinct(_ columns: [String]) -> [String] {
    var used: Set<String> = []
    return columns.map { column in
      var name = column
      var number = 2
      while !used.insert(name).inserted {
        name = "\(column)_\(number)"
        number += 1
      }
      return name
    }
  }

  private static func isNumber(_ value: SQLValue) -> Bool {
    switch value {
    case .integer, .real: true
    case .null, .text, .blob: false
    }
  }

  /// The number of bytes of a text or blob; a number counts as one.
  private static func size(of value: SQLValue) -> Int {
    switch value {
    case .null, .integer, .real: 1
    case .text(let text): text.utf8.count
    case .blob(let bytes): bytes.count
    }
  }

  private static func plain(_ value: SQLValue) -> String {
    switch value {
    case .null: ""
    case .integer(let integer): String(integer)
    case .real(let real): "\(real)"
    case .text(let text): text
    case .blob(let bytes): Hexadecimal.text(bytes)
    }
  }

  private static func json(_ value: SQLValue) -> JSONValue {
    switch value {
    case .null: .null
    case .integer(let integer): .integer(integer)
    case .real(let real): .number(real)
    case .text(let text): .string(text)
    case .blob(let bytes): .string(Hexadecimal.text(bytes))
    }
  }

  /// One record of RFC 4180, ended by a line feed as in the other exports; fields are quoted where they have to be.
  private static func line(_ fields: [String], isPrintable: Bool) -> [UInt8] {
    let quoted = fields.map { field in
      let field = isPrintable ? PrintableText.line(field) : field
      let needsQuotes = field.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D].contains($0) }
      return needsQuotes ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
    }
    return Array((quoted.joined(separator: ",") + "\n").utf8)
  }
}
