import ArgumentParser
import Documents
import Foundation
import RecordingSamples
import Reports
import Support
import TestSupport
import Testing

@testable import sensord

/// The built program from outside: what Documentation/command-line.md promises to other programs.
@Suite("Command line")
struct CommandLineTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }

  /// One line on stderr that names the program, nothing on stdout, and the code.
  private func expectFailure(_ outcome: BuiltProgram.Outcome, _ status: Code, _ comment: Comment? = nil) {
    #expect(outcome.status == status.rawValue, comment)
    #expect(outcome.output.isEmpty, comment)
    #expect(outcome.errorLines.count == 1 && outcome.errors.hasPrefix("sensord: "), "\(outcome.errors)")
  }

  private var state: String { folder.path + "/state" }

  @Test("the version is told")
  func version() throws {
    let outcome = try sensord.run("--version")
    #expect(outcome.status == 0)
    #expect(outcome.output == "sensord 0.1.0\n")
  }

  @Test("every command has help that fits 80 columns, in both programs")
  func help() throws {
    let helps = try HelpTexts.of("\(TestPlaces.programs)/sensord")
    // The program, and commands on two levels.
    #expect(helps.contains { $0.command == [] } && helps.contains { $0.command == ["health", "attachments", "add"] })
    for help in helps {
      #expect(help.longLines.isEmpty, "\(help.command)")
      #expect(help.text.contains("USAGE: sensord") && !help.text.contains("demo-child"), "\(help.command)")
    }
    let foreign = try HelpTexts.of("\(TestPlaces.programs)/sensord-interchange")
    #expect(foreign.map(\.command) == [[], ["export"], ["import"]])
    for help in foreign { #expect(help.longLines.isEmpty, "\(help.command)") }
  }

  @Test("the help of the program fits a terminal of 50 rows, with a line for each command")
  func rootHelp() throws {
    let help = try sensord.run("--help").output.trimmingCharacters(in: .newlines)
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 50)
    let commands = SensordCommand.configuration.groupedSubcommands.flatMap(\.subcommands)
    #expect(lines.count { $0.wholeMatch(of: #/  [a-z][a-z-]+ {2,}[A-Z].*/#) != nil } == commands.count)
  }

  @Test("no line of a description is so long that its last word would stand on a line of its own")
  func discussions() {
    func look(_ command: any ParsableCommand.Type) {
      for line in command.configuration.discussion.split(separator: "\n") {
        #expect(line.count < 80, "\(command): \(line)")
      }
      for child in command.configuration.subcommands { look(child) }
      for group in command.configuration.groupedSubcommands { group.subcommands.forEach(look) }
    }
    look(SensordCommand.self)
  }

  @Test(
    "a line that makes no sense is answered with what is wrong, what was meant and where to read on",
    arguments: [
      (["sesions"], "no command 'sesions'; did you mean 'sessions', or 'session'? See 'sensord --help'"),
      (["exprt", "last"], "no command 'exprt'; did you mean 'export'? See 'sensord --help'"),
      (["devices", "ad", "X"], "no command 'devices ad'; did you mean 'add'? See 'sensord devices --help'"),
      (["sessions", "--jsn"], "unknown option '--jsn'. Did you mean '--json'? See 'sensord sessions --help'"),
      (["zzzzz"], "no command 'zzzzz'; see 'sensord --help'"),
      (["devices", "zzzzz"], "no command 'devices zzzzz'; see 'sensord devices --help'"),
      (["--bogus", "sessions"], "unknown option '--bogus'; see 'sensord --help'"),
      (["show"], "missing expected argument '<session>'; see 'sensord show --help'"),
      (["show", "last", "x"], "unexpected argument 'x'; see 'sensord show --help'"),
      (["devices", "pair"], "missing expected argument '<address>'; see 'sensord devices pair --help'"),
      (
        ["export", "last", "--format", "gpx"],
        "the value 'gpx' is invalid for '--format <format>': there is no such format: beats and rates are the CSV tables, "
          + "the others fit, tcx, rr, hrvlogger, wfdb, edf, omh, fhir, apple; see 'sensord export --help'"
      ),
    ])
  func mistyped(arguments: [String], answer: String) throws {
    let outcome = try sensord.run(arguments)
    expectFailure(outcome, .usage)
    #expect(outcome.errors == "sensord: \(answer)\n")
  }

  @Test(
    "a command line that makes no sense ends with 64 and one line",
    arguments: [
      ["bogus"], ["--bogus"], ["capture"], ["reset-energy"], ["decode"], ["decode", "1"], ["decode", "xyz"],
      ["decode", "0x16"],
      ["decode", "16", "3c"], ["show"], ["export"], ["export", "last"], ["export", "last", "--format", "gpx"],
      ["replay"], ["replay", "x", "--handle", "none"], ["replay", "x", "--handle", "0"],
      ["replay", "x", "--handle", "65536"], ["run", "--bus", "nowhere"], ["run", "extra"], ["demo", "--duration", "0"],
      ["demo", "--duration", "soon"], ["devices", "add"], ["devices", "add", "C0:FF:EE:00:00"],
      ["devices", "add", "C0:FF:EE:00:00:0G"], ["devices", "bogus"], ["delete", "last"], ["status", "extra"],
      ["grants", "allow", "org.example.Game"], ["grants", "allow", "org.example.Game@1000"],
      ["session", "mark"], ["session", "begin", "--metadata", "title"], ["session", "begin", "--metadata", "=x"],
      ["session", "begin", "--all", "--sensor", "C0:FF:EE:00:00:01"],
      ["session", "mark", "x", "--all", "--session", "12"],
      ["session", "end", "1234", "--all"],
      ["workout", "start"], ["workout", "start", "jogging"], ["workout", "lap", "x"],
      ["workout", "activity", "--end", "yoga"],
      ["workout", "activity", "--location=indoor"], ["doctor", "--bus", "x"], ["events", "--kind", "fast"],
      ["events", "--rescan", "--kind", "low"],
      ["events", "--config", "x"], ["events", "--from", "soon"], ["recovery"], ["recovery", "last", "--at", "then"],
      ["watch", "extra"], ["report"], ["show", "last", "--json", "--tachogram"],
      ["workouts", "--type", "fast"], ["workouts", "--activity-average-over", "x"], ["workouts", "--from", "soon"],
      ["health", "sleep", "tonight"], ["health", "sleep", "--from", "soon"], ["sleep"],
    ])
  func usage(arguments: [String]) throws {
    let outcome = try sensord.run(arguments)
    expectFailure(outcome, .usage, "\(arguments)")
    #expect(!FileAccess.exists(state), "nothing is written")
  }

  @Test("a payload is printed as the design says, byte for byte")
  func decode() throws {
    let outcome = try sensord.run("decode", "103eb103")
    #expect(outcome.status == 0)
    #expect(
      outcome.output
        == #"{"flags":16,"bpm":62,"contact":"notSupported","energyKilojoules":null,"rrTicks":[945],"trailing":""}"#
        + "\n")
    let other = try sensord.run("decode", "1E3E0A00B10300FF")
    #expect(
      other.output
        == #"{"flags":30,"bpm":62,"contact":"detected","energyKilojoules":10,"rrTicks":[945,65280],"trailing":""}"#
        + "\n")
    #expect(try sensord.run("decode", "003eABcd").output.contains(#""rrTicks":[],"trailing":"abcd""#))
    #expect(try sensord.run("decode", "103eff").output.contains(#""rrTicks":[],"trailing":"ff""#))
  }

  @Test(
    "a payload that is too short ends with 65 and names the field, the bytes needed and the bytes there",
    arguments: [
      ("", "flags needs 1 byte, 0 there"), ("00", "heartRate needs 2 bytes, 1 there"),
      ("0112", "heartRate needs 3 bytes, 2 there"), ("083e0a", "energyExpended needs 4 bytes, 3 there"),
    ])
  func tooShort(payload: String, words: String) throws {
    let outcome = try sensord.run("decode", payload)
    expectFailure(outcome, .badData)
    #expect(outcome.errors.contains(words))
  }

  @Test("sensors are added, named, listed and removed")
  func devices() throws {
    #expect(try sensord.run("devices", "add", "c0:ff:ee:00:00:01", "--name", "H10").status == 0)
    #expect(try sensord.run("devices", "add", "C0:FF:EE:00:00:02").status == 0)
    let again = try sensord.run("devices", "add", "C0:FF:EE:00:00:01")
    #expect(again.status == 0 && again.output.contains("H10") && again.output.contains("already"))
    let list = try sensord.run("devices", "--json")
    #expect(list.output.contains(#"{"address":"C0:FF:EE:00:00:01","name":"H10","added":"#))
    #expect(list.output.contains(#"{"address":"C0:FF:EE:00:00:02","name":null,"added":"#))
    #expect(try sensord.run("devices", "rename", "H10", "Polar").status == 0)
    #expect(try sensord.run("devices").output.contains("C0:FF:EE:00:00:01  Polar"))
    #expect(try sensord.run("devices", "remove", "C0:FF:EE:00:00:02").status == 0)
    #expect(try !sensord.run("devices", "list").output.contains("00:02"))
    expectFailure(try sensord.run("devices", "remove", "C0:FF:EE:00:00:02"), .noInput)
    expectFailure(try sensord.run("devices", "rename", "nobody", "x"), .noInput)
  }

  @Test("a person's store is theirs alone")
  func rights() throws {
    #expect(try sensord.run("devices", "add", "C0:FF:EE:00:00:01").status == 0)
    #expect(TestPlaces.mode(state + "/sensord") == 0o700)
    #expect(TestPlaces.mode(state + "/sensord/sensord.sqlite") == 0o600)
  }

  @Test("before anything was recorded there is nothing, which is no error")
  func nothingYet() throws {
    let sessions = try sensord.run("sessions", "--json")
    #expect(sessions.status == 0 && sessions.output == "[]\n")
    #expect(try sensord.run("devices", "--json").output == "[]\n")
    #expect(try sensord.run("sessions").errors.contains("sensord demo"))
    expectFailure(try sensord.run("show", "last"), .noInput)
    expectFailure(try sensord.run("export", "last", "--format", "beats"), .noInput)
    #expect(!FileAccess.exists(state), "looking makes no store")
  }

  @Test("a store that was named must exist for those who read it")
  func missingStore() throws {
    let path = folder.path + "/none.sqlite"
    expectFailure(try sensord.run("sessions", "--store", path), .noInput)
    expectFailure(try sensord.run("show", "last", "--store", path), .noInput)
    expectFailure(try sensord.run("delete", "abcd", "--store", path), .noInput)
    expectFailure(try sensord.run("devices", "remove", "x", "--store", path), .noInput)
    #expect(!FileAccess.exists(path))
  }

  @Test("a store that is no database ends with 65 and is not touched")
  func noDatabase() throws {
    let text = "this is a letter, not a database; " + String(repeating: "x", count: 5_000)
    let path = try folder.write("letter.sqlite", text)
    expectFailure(try sensord.run("sessions", "--store", path), .badData)
    expectFailure(try sensord.run("devices", "add", "C0:FF:EE:00:00:01", "--store", path), .badData)
    #expect(try FileAccess.read(path) == Array(text.utf8))
    #expect(!folder.names.contains { $0.hasPrefix("letter.sqlite-") })
  }

  @Test("a store in a folder that cannot be made ends with 73")
  func noFolder() throws {
    let file = try folder.write("file", "")
    expectFailure(
      try sensord.run("devices", "add", "C0:FF:EE:00:00:01", "--store", file + "/x/a.sqlite"), .cannotCreate)
  }

  @Test("an unknown session ends with 66")
  func unknownSession() throws {
    #expect(try sensord.run("devices", "add", "C0:FF:EE:00:00:01").status == 0)
    expectFailure(try sensord.run("show", "3f2a91bc"), .noInput)
    expectFailure(try sensord.run("show", "last"), .noInput)
    expectFailure(try sensord.run("export", "3f2a91bc", "--format", "rates"), .noInput)
    expectFailure(try sensord.run("delete", "3f2a91bc"), .noInput)
  }

  @Test("a capture that is none, empty or missing ends with 65 or 66, and no store is made")
  func badCaptures() throws {
    let store = folder.path + "/a.sqlite"
    let letter = try folder.write("letter", "Dear reader,\n")
    let empty = try folder.write("empty", "")
    expectFailure(try sensord.run("replay", letter, "--store", store), .badData)
    expectFailure(try sensord.run("replay", empty, "--store", store), .badData)
    expectFailure(try sensord.run("replay", folder.path + "/none", "--store", store), .noInput)
    #expect(!FileAccess.exists(store))
  }

  @Test("a configuration that is wrong ends with 78 before anything is made, a missing one with 66")
  func configuration() throws {
    let file = try folder.write("bad.conf", "[sessions]\naway = 5min\n")
    let outcome = try sensord.run("run", "--config", file)
    expectFailure(outcome, .configuration)
    #expect(outcome.errors.contains("line 2"))
    expectFailure(try sensord.run("run", "--config", folder.path + "/none"), .noInput)
    #expect(!FileAccess.exists(state))
  }

  @Test("without a recorder, status says so and ends with 69")
  func noRecorder() throws {
    expectFailure(try sensord.run("status"), .unavailable)
    expectFailure(try sensord.run("status", "--json"), .unavailable)
  }

  @Test("a recorder that crashed is told from one that runs")
  func crashedRecorder() throws {
    var document = SampleStatus.document()
    document.processIdentifier = 1 << 30
    try folder.write("runtime/sensord/status.json", document.json.text)
    let outcome = try sensord.run("status")
    expectFailure(outcome, .unavailable)
    #expect(outcome.errors.contains("without saying so"))
  }

  @Test("a report is a file of its own that is replaced only on request, by rename, and read by nobody else")
  func report() throws {
    let store = folder.path + "/a.sqlite"
    #expect(try sensord.run("replay", TestPlaces.everyRecord, "--store", store).status == 0)
    let page = folder.path + "/page.html"
    #expect(try sensord.run("report", "last", "--store", store, "-o", page).status == 0)
    let text = String(decoding: folder.bytes(of: "page.html"), as: UTF8.self)
    #expect(text.hasPrefix("<!DOCTYPE html>") && text.hasSuffix("</html>\n") && !text.contains("\u{1B}"))
    #expect(folder.mode(of: "page.html") == 0o600)
    #expect(try sensord.run("report", "last", "--store", store).output == text, "the same bytes each time")

    try folder.write("page.html", "mine")
    let refusal = try sensord.run("report", "last", "--store", store, "-o", page)
    expectFailure(refusal, .cannotCreate)
    #expect(refusal.errors.contains("--force") && folder.bytes(of: "page.html") == Array("mine".utf8))
    // What is read meanwhile stays whole.
    let before = try FileHandle(forReadingFrom: URL(filePath: page))
    #expect(try sensord.run("report", "last", "--store", store, "-o", page, "--force").status == 0)
    #expect(try before.readToEnd() == Data("mine".utf8))
    #expect(String(decoding: folder.bytes(of: "page.html"), as: UTF8.self) == text)
    #expect(!folder.names.contains { $0.hasPrefix(".") }, "nothing is left over")
    expectFailure(
      try sensord.run("report", "last", "--store", store, "-o", folder.path + "/no/page.html"), .cannotCreate)
    expectFailure(try sensord.run("report", "abcd", "--store", store), .noInput)
  }

  @Test("show draws a tachogram where it is asked to, and none for a file or a program by itself")
  func tachogram() throws {
    let store = folder.path + "/a.sqlite"
    #expect(try sensord.run("replay", TestPlaces.everyRecord, "--store", store).status == 0)
    let plain = try sensord.run("show", "last", "--store", store)
    let drawn = try sensord.run("show", "last", "--store", store, "--tachogram")
    #expect(drawn.output.hasPrefix(plain.output) && !plain.output.contains("└"))
    let picture = drawn.output.dropFirst(plain.output.count).split(separator: "\n")
    #expect(picture[0].hasPrefix("RR intervals in ms") && picture.contains { $0.contains("└─") })
    #expect(picture.allSatisfy { PrintableText.width(of: String($0)) <= 80 })
  }

  @Test("show draws it by itself on a terminal whose locale has UTF-8, and not on another")
  func tachogramOnTerminal() throws {
    let store = folder.path + "/a.sqlite"
    #expect(try sensord.run("replay", TestPlaces.everyRecord, "--store", store).status == 0)
    func shown(_ locale: [String: String], _ more: String...) throws -> String {
      let terminal = try Terminal()
      let program = try terminal.start(
        "\(TestPlaces.programs)/sensord", ["show", "last", "--store", store] + more,
        environment: ["HOME": folder.path, "TZ": "UTC", "TERM": "xterm"].merging(locale) { $1 })
      // Its output is read while it runs: a terminal holds little.
      while program.status == nil { _ = terminal.text }
      return terminal.text
    }
    #expect(try shown(["LANG": "C.UTF-8"]).contains("└─"))
    #expect(try shown(["LC_ALL": "de_DE.utf8@euro", "LANG": "C"]).contains("└─"))
    #expect(try !shown(["LANG": "C"]).contains("└─"))
    #expect(try !shown(["LC_ALL": "POSIX", "LANG": "C.UTF-8"]).contains("└─"))
    #expect(try !shown(["LANG": "C.UTF-8"], "--no-tachogram").contains("└─"))
    #expect(try shown([:], "--tachogram").contains("└─"))
  }

  @Test("without a bus on which a recorder could be, watch says so")
  func watchWithoutBus() throws {
    expectFailure(try sensord.run("watch"), .unavailable)
    expectFailure(try sensord.run("watch", "--json"), .unavailable)
  }

  @Test("the doctor names the first thing that is wrong, its remedy, and what it could not look at")
  func doctor() throws {
    let outcome = try sensord.run("doctor", "--bus", "unix:path=\(folder.path)/no-bus")
    #expect(outcome.status == Code.unavailable.rawValue)
    #expect(outcome.output.contains("✗ message bus"))
    #expect(outcome.output.contains("- bluetoothd      not looked at"))
    #expect(outcome.output.contains("✗ sensors"))
    #expect(outcome.output.contains("sensord devices add"))
    #expect(!FileAccess.exists(state), "the doctor changes nothing")
  }
}
