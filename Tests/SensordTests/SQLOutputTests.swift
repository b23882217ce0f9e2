import SeriesStore
import Support
import TestSupport
import Testing

@testable import sensord

@Suite("SQLOutput")
struct SQLOutputTests {
  private let folder = TemporaryFolder()
  private var store: String { folder.store }

  init() throws {
    _ = try HealthStore.open(store, for: .writing)
  }

  /// The pieces in which the rows are written.
  private func pieces(
    _ query: String, _ form: SQLOutput.Form, room: Int = .max, toTerminal: Bool = false
  ) throws -> [String] {
    var pieces: [String] = []
    try SQLOutput.write(try ReadOnlySQL(store).rows(of: query), as: form, room: room, toTerminal: toTerminal) { bytes in
      pieces.append(String(decoding: bytes, as: UTF8.self))
    }
    return pieces
  }

  private func numbers(to last: Int) -> String {
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(last))"
  }

  @Test("a table's first thousand rows settle its layout, and no row waits for the last", arguments: [999, 1000, 1001])
  func streaming(count: Int) throws {
    let rows = try pieces(numbers(to: count) + " SELECT i, 'x' AS t FROM n", .table).joined()
    #expect(rows.split(separator: "\n").count == count + 1)
    #expect(rows.hasPrefix("   i  t\n   1  x\n") == (count >= 1000) && rows.hasSuffix("\(count)  x\n"))
    let many = try pieces(numbers(to: 20_000) + " SELECT i, hex(zeroblob(20)) AS t FROM n", .table)
    #expect(many.count > 10 && many.allSatisfy { $0.utf8.count < 200_000 })
    #expect(many[0].split(separator: "\n").count == 1001)
    #expect(many.joined().split(separator: "\n").count == 20_001)
  }

  @Test("what comes later and is wider pushes the line aside; a column that gives way cuts it")
  func laterRows() throws {
    let query = numbers(to: 1001) + " SELECT iif(i > 1000, 'a long text indeed', 'ab') AS t, i, 'end' AS e FROM n"
    #expect(try pieces(query, .table).joined().hasSuffix("ab  1000  end\na long text indeed  1001  end\n"))
    let wide = numbers(to: 1001) + " SELECT hex(zeroblob(iif(i > 1000, 90, 30))) AS t, i FROM n"
    let lines = try pieces(wide, .table, room: 40).joined().split(separator: "\n")
    #expect(lines.allSatisfy { PrintableText.width(of: String($0)) == 40 })
    #expect(lines[1001].contains("…"))
  }

  @Test("CSV keeps every character for a program, and none that a terminal would act upon for a terminal")
  func escapes() throws {
    let query = "SELECT char(27) || '[2J' || char(10) || ',é' AS 'a' "
    #expect(try pieces(query, .csv).joined() == "a\n\"\u{1B}[2J\n,é\"\n")
    #expect(try pieces(query, .csv, toTerminal: true).joined() == "a\n\"\u{FFFD}[2J\u{FFFD},é\"\n")
  }

  @Test("rows that are large settle the layout before there are a thousand of them")
  func largeRows() throws {
    let rows = try pieces(numbers(to: 40) + " SELECT i, hex(zeroblob(100000)) AS t FROM n", .table)
    #expect(rows.count > 4 && rows.joined().split(separator: "\n").count == 41)
  }

  @Test("without a row there is a heading, an empty array, or the names")
  func empty() throws {
    #expect(try pieces("SELECT 1 AS a WHERE 0", .table).joined() == "a\n")
    #expect(try pieces("SELECT 1 AS a WHERE 0", .csv).joined() == "a\n")
    #expect(try pieces("SELECT 1 AS a WHERE 0", .json).joined() == "[]\n")
  }
}
