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

  @Test("what was exported comes in once, in another store, with its beats")
  func imported() throws {
    try stored()
    let (file, other) = ("\(folder.path)/out.fit", "\(folder.path)/other.sqlite")
    #expect(try sensord.run("export", "last", "--format", "fit", "--store", store, "-o", file).status == 0)
    let dry = try sensord.run("import", "--dry-run", "--store", other, file)
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(dry.output.contains(" stored: "))
    #expect(!FileManager.default.fileExists(atPath: other))
    let first = try sensord.run("import", "--store", other, file)
    #expect(first.output == dry.output)
    let second = try sensord.run("import", "--json", "--store", other, file)
    #expect(second.output.contains(#""outcome":"unchanged""#), "\(second.output)")
    // Intervals are the same in both.
    let one = try sensord.run("export", "last", "--format", "rr", "--store", store)
    #expect(!one.output.isEmpty)
    #expect(try sensord.run("export", "last", "--format", "rr", "--store", other).output == one.output)
    #expect(try sensord.run("show", "last", "--store", other).output.contains("imported from a file"))
  }

  @Test("a record of WFDB is two files of one name, and comes in by its header")
  func record() throws {
    try stored()
    let (base, other) = ("\(folder.path)/ride", "\(folder.path)/other.sqlite")
    let outcome = try sensord.run("export", "last", "--format", "wfdb", "--store", store, "-o", "\(base).hea")
    #expect(outcome.status == 0, "\(outcome.errors)")
    for file in ["\(base).hea", "\(base).atr"] { #expect(TestPlaces.mode(file) == 0o600) }
    #expect(try String(contentsOfFile: "\(base).hea", encoding: .utf8).hasPrefix("ride 0 1024 "))
    let imported = try sensord.run("import", "--store", other, "\(base).hea")
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(imported.output.contains("54 beats, 3 gaps"), "\(imported.output)")
    // Intervals are the same in both, to the tick.
    let tables = try [store, other].map { store in
      try sensord.run("export", "last", "--format", "rr", "--store", store).output
    }
    #expect(tables[0] == tables[1] && !tables[0].isEmpty)
    try FileManager.default.removeItem(atPath: "\(base).atr")
    let alone = try sensord.run("import", "--store", other, "\(base).hea")
    #expect(alone.status == 66)
    #expect(alone.errors.contains("there are no annotations beside it (.atr, "), "\(alone.errors)")
    for arguments in [[], ["-o", "\(folder.path)/my ride"]] {
      let refused = try sensord.run(["export", "last", "--format", "wfdb", "--store", store] + arguments)
      #expect(refused.status == 64 && refused.errorLines.count == 1, "\(refused.errors)")
    }
  }

  @Test("what was deleted here stays deleted, also when it is imported again")
  func deleted() throws {
    try stored()
    let (file, other) = ("\(folder.path)/out.fit", "\(folder.path)/other.sqlite")
    #expect(try sensord.run("export", "last", "--format", "fit", "--store", store, "-o", file).status == 0)
    let first = try sensord.run("import", "--json", "--store", other, file)
    let document = try #require(JSONSerialization.jsonObject(with: Data(first.output.utf8)) as? [[String: Any]])
    let sessions = try #require(document.first?["sessions"] as? [[String: Any]])
    let session = try #require(sessions.first?["session"] as? String)
    #expect(try sensord.run("delete", session, "--store", other).status == 0)
    for dry in [["--dry-run"], []] {
      let again = try sensord.run(["import", "--store", other, file] + dry)
      #expect(again.status == 0)
      #expect(again.output.contains("was deleted before, nothing stored"), "\(again.output)")
      #expect(try sensord.run("show", session, "--store", other).status == 66)
    }
  }

  @Test("a damaged file comes in up to the damage, which is told with 65; what is no such file is named")
  func damaged() throws {
    try stored()
    let (file, other) = ("\(folder.path)/out.fit", "\(folder.path)/other.sqlite")
    #expect(try sensord.run("export", "last", "--format", "fit", "--store", store, "-o", file).status == 0)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    try bytes.dropLast(40).write(to: URL(fileURLWithPath: file))
    let outcome = try sensord.run("import", "--store", other, file)
    #expect(outcome.status == 65)
    #expect(outcome.output.contains(" stored: "))
    #expect(outcome.errors.contains("\(file): byte "), "\(outcome.errors)")
    let text = try sensord.run("import", "--store", other, "\(TestPlaces.root)/README.md", "\(folder.path)/none.fit")
    #expect(text.status == 66)
    #expect(text.errorLines.count == 2, "\(text.errors)")
  }

  @Test("Apple's export comes in once, up to its damage, and what is not asked for does not")
  func apple() throws {
    let rate = #"<Record type="HKQuantityTypeIdentifierHeartRate" unit="count/min" sourceName="W" "#
    func record(_ minute: Int) -> String {
      let time = "2024-03-01 07:\(minute):00 -0800"
      return rate + #"startDate="\#(time)" endDate="\#(time)" value="61"/>"#
    }
    let text =
      "<HealthData>" + record(10) + record(11) + #"<Record type="HKQuantityTypeIdentifierVO2Max"/></HealthData>"#
    let file = "\(folder.path)/anything"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    let dry = try sensord.run("import", "--dry-run", "--store", store, file)
    #expect(dry.output.contains("heartRate: 2 read, 2 new (samples: 1 stored)"), "\(dry.output)\(dry.errors)")
    #expect(!FileManager.default.fileExists(atPath: store))
    let cut = "\(folder.path)/cut"
    try Data(text.utf8.prefix(12 + record(10).utf8.count + 20)).write(to: URL(fileURLWithPath: cut))
    let damaged = try sensord.run("import", "--store", store, cut)
    #expect(damaged.status == 65)
    #expect(damaged.output.contains("heartRate: 1 read, 1 new (samples: 1 stored)"), "\(damaged.output)")
    #expect(damaged.errors.contains("\(cut): byte "), "\(damaged.errors)")
    let steps = try sensord.run("import", "--types", "stepCount", "--store", store, file)
    #expect(steps.output.contains("2 records were not asked for"), "\(steps.output)")
    let whole = try sensord.run("import", "--store", store, file)
    #expect(whole.output.contains("heartRate: 2 read, 1 new (samples: 1 replaced)"), "\(whole.output)")
    let again = try sensord.run("import", "--json", "--store", store, file)
    #expect(again.output.contains(#""unchanged":1"#), "\(again.output)")
    #expect(again.output.contains(#""leftOut":{"record without a time":1}"#), "\(again.output)")
    #expect(try sensord.run("import", "--types", "stepcount", "--store", store, file).status == 64)
  }
}
