import Glibc
import HealthModel
import Ingestion
import TestSupport
import Testing

@testable import Captures

/// Each capture of the folder `Fixtures` has the session that is computed from it beside it.
///
/// To add one, put a capture there (from a bug report, or of `Fidelity/capture.py`) and run the test with `RECORD_GOLDENS=1`.
@Suite("The sessions of the kept captures")
struct GoldenSessionTests {
  static let folder = "\(GoldenCaptureTests.folder)/Fixtures"
  static let names = TemporaryFolder.names(folder)
  static let captures = names.filter { $0.hasSuffix(".capture") }.map { String($0.dropLast(".capture".count)) }

  @Test("are those in the files beside them, to the microsecond", arguments: captures)
  func golden(_ name: String) throws {
    let contents = try CaptureFile.read(path: "\(Self.folder)/\(name).capture")
    let capture = try #require(contents.captures.first)
    let lines = SessionText.lines(try RecordedSession(of: capture, version: "test"))
    let golden = "\(Self.folder)/\(name).session"
    if unsafe getenv("RECORD_GOLDENS") != nil {
      try TemporaryFolder.write(Array(lines.map { "\($0)\n" }.joined().utf8), to: golden)
      Issue.record("\(name).session was written anew")
    }
    let expected = try TemporaryFolder.read(golden).lines
    #expect(contents.captures.count == 1 && contents.damageCount == 0)
    #expect(lines == expected.dropLast(expected.last == "" ? 1 : 0))
  }

  @Test("no session is left of a capture that is gone")
  func complete() {
    let sessions = Self.names.filter { $0.hasSuffix(".session") }.map { String($0.dropLast(".session".count)) }
    #expect(sessions.allSatisfy { Self.captures.contains($0) })
    #expect(Self.captures.count >= 5)
  }
}
