import Foundation
import TestSupport
import Testing

@testable import sensord

/// The same recording comes in by several files, each of which has something else of it.
@Suite("Forms of one recording")
struct ImportedFormsTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var other: String { "\(folder.path)/other.sqlite" }
  /// Of the recording that the files are of.
  private static let name = "fd81d2e6"

  /// A recording as files of these formats.
  private func files(_ formats: [String]) throws -> [String] {
    let capture = "\(TestPlaces.root)/Tests/CapturesTests/Fixtures/strap-lost-link.capture"
    #expect(try sensord.run("replay", capture, "--store", folder.store).status == 0)
    return try formats.map { format in
      let file = "\(folder.path)/\(format).\(format == "wfdb" ? "hea" : "txt")"
      let outcome = try sensord.run("export", "last", "--format", format, "--store", folder.store, "-o", file)
      #expect(outcome.status == 0, "\(outcome.errors)")
      return file
    }
  }

  private func take(_ file: String, _ more: String...) throws -> String {
    let outcome = try sensord.run(["import", "--store", other, file] + more)
    return outcome.output + outcome.errors
  }

  @Test(
    "neither of two forms takes the other's place where each has what that lacks: both are told, and the other comes by --restore",
    arguments: [
      (["tcx", "wfdb"], "149 rates, 0 beats", "0 rates, 54 beats to 1/1024 s"),
      (["wfdb", "tcx"], "0 rates, 54 beats to 1/1024 s", "149 rates, 0 beats"),
      // As many beats, and finer.
      (["wfdb", "fit"], "0 rates, 54 beats to 1/1024 s", "149 rates, 54 beats to 1/1000 s"),
      (["wfdb", "apple"], "0 rates, 54 beats to 1/1024 s", "149 rates, 54 beats to 1/100 s"),
    ] as [([String], String, String)])
  func neither(formats: [String], first: String, second: String) throws {
    let files = try files(formats)
    #expect(try take(files[0]).contains("\(Self.name) stored: "))
    for dry in ["--dry-run", "--json", ""] {
      let told = try dry.isEmpty ? take(files[1]) : take(files[1], dry)
      if dry == "--json" {
        #expect(told.contains(#""outcome":"unchanged""#) && told.contains(#""keepsOther":true"#), "\(told)")
      } else {
        #expect(told.contains("\(Self.name) stays as it is stored (\(first)), "), "\(told)")
        #expect(told.contains("this form (\(second)) "), "\(told)")
      }
    }
    #expect(try take(files[0]).contains("is known already, nothing new"))
    // What it says can be done.
    #expect(try sensord.run("delete", Self.name, "--store", other).status == 0)
    #expect(try take(files[1]).contains("was deleted before, nothing stored; --restore brings it back"))
    #expect(try take(files[1], "--restore", "--dry-run").contains("\(Self.name) would be stored: "))
    #expect(try take(files[1], "--restore").contains("\(Self.name) stored: "))
    #expect(try take(files[1]).contains("is known already, nothing new"))
  }

  @Test(
    "a form that has all of another and more takes its place, also where only its times are finer, and never the other way round",
    arguments: [["tcx", "fit"], ["apple", "fit"], ["tcx", "apple"]])
  func better(formats: [String]) throws {
    let files = try files(formats)
    #expect(try take(files[0]).contains("stored: "))
    let dry = try take(files[1], "--dry-run")
    #expect(dry.contains("\(Self.name) would replace a form of itself that has less"), "\(dry)")
    #expect(try take(files[1]).contains("\(Self.name) replaced a form of itself that has less"))
    for file in files { #expect(try take(file).contains("is known already, nothing new")) }
  }

  @Test("a dry run of several files says of each what would become of it behind those before it")
  func dryRun() throws {
    let files = try files(["tcx", "fit", "apple"])
    let dry = try sensord.run(["import", "--dry-run", "--store", other] + files).output
    let real = try sensord.run(["import", "--store", other] + files).output
    #expect(real.split(separator: "\n").count == 3)
    #expect(
      dry.replacing("would be stored", with: "stored").replacing("would replace", with: "replaced") == real, "\(dry)")
  }

  @Test("a table with times and gaps is no copy of text with the same intervals; text is one of the table")
  func table() throws {
    let files = try files(["rr", "hrvlogger"])
    let start = ["--start", "2026-09-21T14:13:20Z"]
    #expect(try sensord.run(["import", "--store", other, files[0]] + start).output.contains("stored: "))
    let table = try take(files[1])
    #expect(table.contains(" stored: 0 rates, 54 beats, 3 gaps"), "\(table)")
    #expect(table.contains(" has the same intervals: 'sensord delete "), "\(table)")
  }

  @Test(
    "a recording whose intervals came in as text before is stored, and the text is named", arguments: ["fit", "wfdb"])
  func twin(format: String) throws {
    let files = try files(["rr", format])
    let start = ["--start", "2026-09-21T10:13:20Z"]
    let text = try sensord.run(["import", "--store", other, "--json", files[0]] + start).output
    let outcome = try take(files[1], "--json")
    let session = try #require(text.firstMatch(of: /"session":"([^"]*)"/)?.1)
    #expect(outcome.contains(#""outcome":"stored""#), "\(outcome)")
    #expect(outcome.contains(#""sameIntervalsAs":"\#(session)""#), "\(outcome)")
  }

  @Test("intervals that are all alike tell no recording from another")
  func uniform() throws {
    func table(_ hour: String, _ count: Int) throws -> String {
      let lines = (1...count).map {
        "2026-03-01 \(hour):00:\(String(format: "%02d", $0 % 60)) +0000, 1000, \($0 * 1000)"
      }
      return try folder.write("\(hour).csv", (["date, rr, since start"] + lines).joined(separator: "\n") + "\n")
    }
    #expect(try take(table("06", 50)).contains("stored: 0 rates, 51 beats"))
    #expect(try take(table("11", 40)).contains("stored: 0 rates, 41 beats"))
    #expect(try take(table("06", 50)).contains("is known already"))
  }

  @Test("one --start is that of one file")
  func starts() throws {
    let texts = try ["a", "b"].map { try folder.write("\($0).txt", "800\n810\n82\($0 == "a" ? 0 : 1)\n") }
    let outcome = try sensord.run(["import", "--store", other, "--start", "2026-03-01T07:00:00Z"] + texts)
    #expect(outcome.status == 65 && outcome.output.split(separator: "\n").count == 1, "\(outcome.output)")
    #expect(
      outcome.errors.contains("b.txt: --start is when the text before it began; import it alone"), "\(outcome.errors)")
  }
}
