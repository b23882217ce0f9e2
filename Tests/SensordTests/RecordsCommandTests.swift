import Foundation
import HealthModel
import Reports
import SeriesStore
import TestSupport
import Testing

@testable import sensord

/// Clinical records on the command line, with the built program.
@Suite("Clinical records on the command line")
struct RecordsCommandTests {
  private let folder = TemporaryFolder()
  private static let sodium =
    #"{"resourceType":"Observation","id":"1","meta":{"lastUpdated":"2026-11-02T00:00:00Z"},"code":{"text":"Sodium"},"#
    + #""effectiveDateTime":"2026-11-01","valueQuantity":{"value":140.50}}"#
  private static let nuts =
    #"{"resourceType":"AllergyIntolerance","code":{"text":"Nuts\u001b[31m"},"recordedDate":"2020"}"#
  private static let patient = #"{"resourceType":"Patient","id":"p"}"#

  private func run(_ arguments: String...) throws -> BuiltProgram.Outcome {
    try BuiltProgram(in: folder).run(arguments + ["--store", folder.store])
  }

  private func imports(_ text: String, _ options: String...) throws -> BuiltProgram.Outcome {
    let file = try folder.write("in.json", Array(text.utf8))
    return try BuiltProgram(in: folder).run(["health", "records", "import", file, "--store", folder.store] + options)
  }

  private func first(_ name: String) throws -> String {
    let json = try JSONSerialization.jsonObject(with: Data(try run("health", "records", "list", "--json").output.utf8))
    let rows = try #require(json as? [[String: String]])
    return try #require(rows.first { $0["name"] == name }?["id"])
  }

  @Test("records come from a file once, are listed in 80 columns, and come out byte for byte")
  func road() throws {
    let bundle = #"{"resourceType":"Bundle","entry":[{"resource":\#(Self.sodium)},{"resource":\#(Self.patient)}]}"#
    let added = try imports(bundle)
    #expect(added.output == "1 record added, 0 replaced, 0 known already\n" && added.status == 0)
    #expect(added.errors == "sensord: left out: a Patient is no clinical record (1 ×)\n")
    #expect(try imports("\(Self.sodium)\n\(Self.nuts)\n").output == "1 record added, 0 replaced, 1 known already\n")
    let list = try run("health", "records").output
    #expect(list.hasPrefix("Record    Date        Type               Name"), "\(list)")
    #expect(
      list.contains("2020-01-01  allergy record     Nuts") && list.contains("2026-11-01  lab result record  Sodium"))
    #expect(!list.contains("\u{1B}") && list.split(separator: "\n").allSatisfy { $0.count <= 80 })
    let name = try first("Sodium")
    #expect(try run("health", "records", "get", String(name.prefix(8))).output == Self.sodium)
    let copy = folder.path + "/out.json"
    #expect(try run("health", "records", "get", "last", "-o", copy).status == 0)
    #expect(try String(contentsOfFile: copy, encoding: .utf8) == Self.sodium)
    #expect(try run("health", "records", "remove", name).status == 0)
    #expect(try run("health", "records", "get", name).status == ExitStatus.noInput.rawValue)
    // Who imports it again wants it again.
    #expect(
      try imports(Self.sodium, "--json").output == #"{"added":1,"replaced":0,"known":0,"leftOut":[]}"# + "\n")
  }

  @Test("with a provider's name a newer resource replaces the older one, and other providers' stay")
  func versions() throws {
    let newer = Self.sodium.replacing("2026-11-02T", with: "2026-11-03T").replacing("140.50", with: "141")
    #expect(try imports(Self.sodium, "--source", "a").output.hasPrefix("1 record added"))
    #expect(try imports(Self.sodium, "--source", "b").output.hasPrefix("1 record added"))
    #expect(try imports(newer, "--source", "a").output == "0 records added, 1 replaced, 0 known already\n")
    #expect(try imports(Self.sodium, "--source", "a").output == "0 records added, 0 replaced, 1 known already\n")
    // Without a name nothing says that they are the same.
    #expect(try imports(newer).output.hasPrefix("1 record added"))
    #expect(try run("health", "records", "list", "--json").output.split(separator: "\n").count == 3 + 2)
  }

  @Test("what is damaged is told with exit code 65, and the rest comes in")
  func damaged() throws {
    let outcome = try imports("\(Self.sodium)\n{\"resourceType\":}\n\(Self.nuts)\n", "--json")
    #expect(outcome.status == ExitStatus.badData.rawValue)
    #expect(
      outcome.output
        == #"{"added":2,"replaced":0,"known":0,"leftOut":[{"reason":"this is no JSON","count":1}]}"#
        + "\n")
    #expect(try imports("PK\u{3}").errors == "sensord: left out: this is no JSON (1 ×)\n")
    #expect(try run("health", "records", "import", folder.path + "/none").status == ExitStatus.noInput.rawValue)
    #expect(try imports(Self.sodium, "--source", "").status == ExitStatus.usage.rawValue)
    let nothing = try BuiltProgram(in: TemporaryFolder()).run("health", "records")
    #expect(nothing.status == 0 && nothing.errors.hasPrefix("There are no clinical records."))
  }

  @Test("a record takes files, and they go with it")
  func files() throws {
    _ = try imports(Self.sodium)
    let scan = try folder.write("scan.png", Picture.png())
    #expect(try run("health", "attachments", "add", "last", scan).status == 0)
    #expect(try run("health", "attachments", "list", "last").output.contains("scan.png"))
    #expect(try run("health", "records", "remove", "last").status == 0)
    #expect(try run("health", "attachments", "list").output == "")
    #expect(try run("check").status == 0)
  }

  @Test("an owner allows single records, never all of them, and allows nobody to save one")
  func grants() throws {
    _ = try imports("\(Self.sodium)\n\(Self.nuts)\n")
    let name = try first("Sodium").prefix(8)
    let allowed = try run("grants", "allow", "org.example.Reader@1000", "--record", String(name))
    #expect(allowed.output.contains("may read labResultRecord \(name)."), "\(allowed)")
    let whole = try run("grants", "allow", "org.example.Reader@1000", "--read", "labResultRecord")
    #expect(whole.status == ExitStatus.usage.rawValue && whole.errors.contains("one by one"))
    let save = try run("grants", "allow", "org.example.Reader@1000", "--share", "allergyRecord")
    #expect(save.status == ExitStatus.usage.rawValue && save.errors.contains("import only"))
  }
}
