internal import SeriesStore

/// Rows of a statement as a person or a program reads them.
enum SQLOutput {
  /// How the rows are written.
  enum Form {
    case table
    case csv
    case json
  }

  /// Writes all rows. CSV and JSON go out as they come; a table needs all of them first, to know how wide it is.
  static func write(_ rows: consuming ReadOnlySQL.Rows, as form: Form) throws {
    let columns = form == .json ? distinct(rows.columns) : rows.columns
    var pending: [UInt8] = []
    var table: [[SQLValue]] = []
    var count = 0
    if form == .csv { pending += line(columns) }
    while let row = try rows.next() {
      switch form {
      case .table: table.append(row)
      case .csv: pending += line(row.map(Self.plain))
      case .json:
        pending += Array((count == 0 ? "[\n" : ",\n").utf8)
        JSONValue.object(zip(columns, row).map { JSONValue.Member($0, json($1)) }).write(to: &pending)
      }
      count += 1
      if pending.count > 1 << 16 {
        try StandardOutput.write(pending)
        pending = []
      }
    }
    switch form {
    case .table: pending = Array(Self.table(columns, table).utf8)
    case .csv: break
    case .json: pending += Array((count == 0 ? "[]\n" : "\n]\n").utf8)
    }
    try StandardOutput.write(pending)
  }

  /// Numbers to the right; on a terminal texts give way where the rows are too wide, elsewhere nothing is cut.
  private static func table(_ columns: [String], _ rows: [[SQLValue]]) -> String {
    guard !columns.isEmpty else { return "" }
    var table = TextTable(
      columns.indices.map { index in
        let isNumeric =
          rows.contains { isNumber($0[index]) } && rows.allSatisfy { isNumber($0[index]) || $0[index] == .null }
        return TextTable.Column(PrintableText.line(columns[index]), isNumeric ? .right : .left, shrinks: !isNumeric)
      })
    for row in rows { table.add(row.map { $0 == .null ? "NULL" : plain($0) }) }
    return table.rendered(columns: StandardOutput.columns)
  }

  /// The names of an object's members: where two columns are called alike, the later one is numbered.
  private static func distinct(_ columns: [String]) -> [String] {
    var taken: Set<String> = []
    return columns.map { column in
      var name = column
      var number = 2
      while !taken.insert(name).inserted {
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
  private static func line(_ fields: [String]) -> [UInt8] {
    let quoted = fields.map { field in
      let needsQuotes = field.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D].contains($0) }
      return needsQuotes ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
    }
    return Array((quoted.joined(separator: ",") + "\n").utf8)
  }
}
