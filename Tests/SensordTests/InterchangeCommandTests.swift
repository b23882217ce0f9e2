import Foundation
import HealthInterchange
import TestSupport
import Testing

@testable import sensord

/// What `sensord` and `sensord-interchange` do together, as built programs.
@Suite("Formats of other programs")
struct InterchangeCommandTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }

  private func stored() throws {
    let capture = "\(TestPlaces.root)/Tests/CapturesTests/Fixtures/strap-lost-link.capture"
    #expect(try sensord.run("replay", capture, "--store", store).status == 0)
  }

  @Test("the command line has a name for each format that can be written, and no other")
  func names() {
    #expect(ExportChoice.ForeignFormat.allCases.map(\.rawValue) == InterchangeFormat.allCases.map(\.rawValue))
  }

  @Test("a session leaves as a FIT file that only its owner can read")
  func fit() throws {
    try stored()
    let file = "\(folder.path)/out.fit"
    let outcome = try sensord.run("export", "last", "--format", "fit", "--store", store, "-o", file)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(Array(bytes.dropFirst(8).prefix(4)) == Array(".FIT".utf8))
    #expect(TestPlaces.mode(file) == 0o600)
  }

  @Test("text goes to stdout")
  func text() throws {
    try stored()
    let outcome = try sensord.run("export", "last", "--format", "hrvlogger", "--store", store)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("date, rr, since start\n"))
    #expect(outcome.output.split(separator: "\n").count > 2)
  }

  @Test("what is not there, and a format that nobody knows, are told as by every command")
  func failures() throws {
    try stored()
    let missing = try sensord.run("export", "ffff", "--format", "fit", "--store", store)
    #expect(missing.status == 66)
    #expect(missing.errors.hasPrefix("sensord: no session or workout ffff in "), "\(missing.errors)")
    let unknown = try sensord.run("export", "last", "--format", "gpx", "--store", store)
    #expect(unknown.status == 64)
    #expect(unknown.errorLines.count == 1)
  }
}
