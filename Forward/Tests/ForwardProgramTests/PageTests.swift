import FoundationEssentials
import HealthModel
import StoreSamples
import TestSupport
import Testing

/// What Documentation/many-gateways.md says can be asked.
@Suite("The page about many gateways")
struct PageTests {
  /// The statements of the page: what begins with a remark in SQL, to the semicolon.
  private static func statements() throws -> [String] {
    let page = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined() + "/Documentation/many-gateways.md"
    let text = try String(contentsOfFile: page, encoding: .utf8)
    var found: [String] = []
    for line in text.split(separator: "\n") where line.hasPrefix("    ") {
      if line.hasPrefix("    -- ") {
        found.append("")
      } else if let last = found.last, !last.hasSuffix(";\n") {
        found[found.count - 1] = last + line + "\n"
      }
    }
    return found
  }

  @Test("each query of the page gives a researcher rows of the own study")
  func queries() async throws {
    let gateway = try TestGateway(on: TestServer(), centre: "page")
    _ = try gateway.rows("CREATE ROLE page_ada LOGIN IN ROLE sensord_researcher")
    _ = try gateway.rows("INSERT INTO sensord_study VALUES ('sleep', 'p001')")
    _ = try gateway.rows("INSERT INTO sensord_researcher VALUES ('page_ada', 'sleep')")
    let store = try gateway.open()
    // From ten in the evening of Berlin, and long enough to have a whole hour.
    for night in 0..<2 as Range<Int64> {
      try await SampleSessions.save(
        UUID(), seed: UInt64(night + 1), beats: 9_000,
        start: TestGateway.start.advanced(byMicroseconds: (night * 86_400 + 5 * 3_600) * 1_000_000),
        sensor: TestGateway.strap, into: store)
    }
    try gateway.forward()
    let statements = try Self.statements()
    #expect(statements.count == 5)
    for statement in statements {
      let rows = try gateway.rows(statement, as: "page_ada")
      // The sensor of the samples has no model.
      #expect(!rows.isEmpty && rows.allSatisfy { $0.filter { $0 == nil }.count <= 1 }, "\(statement)\(rows)")
    }
  }

  @Test("each command of the program has help of 80 columns")
  func help() throws {
    let helps = try HelpTexts.of(TestGateway.program)
    #expect(helps.count == 7 && helps.contains { $0.command == ["forget"] })
    for help in helps { #expect(help.longLines.isEmpty, "\(help.command)") }
  }
}
