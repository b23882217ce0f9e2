import Documents
import Glibc
import RecordingSamples
import Reports
import Support
import TestSupport
import Testing

@testable import sensord

/// What waits for a person in the journal's folder, with the built program.
@Suite("Set-aside files")
struct SetAsideCommandTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }

  init() throws {
    _ = try sensord.run("replay", TestPlaces.everyRecord, "--store", store)
  }

  /// The command that a line names.
  private func command(in text: String) throws -> String {
    let begin = try #require(text.firstRange(of: "to read it: ")).upperBound
    return String(text[begin...].prefix { $0 != "\n" && $0 != "\"" })
  }

  @Test("a damaged segment is named by check, sessions, doctor and status until its command has read it")
  func named() throws {
    #expect(try sensord.run("check", "--store", store).status == 0)
    let file = try folder.write("store.journal/00000003.journal.damaged", FileAccess.read(TestPlaces.everyRecord))
    var document = SampleStatus.document()
    (document.store, document.processIdentifier) = (store, getpid())
    try folder.write("runtime/sensord/status.json", document.json.text)
    let line = "\(file) was set aside, since records in it are damaged; to read it: sensord replay"
    let check = try sensord.run("check", "--store", store)
    #expect(check.status == Code.badData.rawValue && check.output.contains(line), "\(check.output)")
    let sessions = try sensord.run("sessions", "--store", store)
    #expect(sessions.status == Code.badData.rawValue && sessions.errors.contains(line), "\(sessions.errors)")
    #expect(sessions.output.contains("0f6a1c52"))
    #expect(try sensord.run("doctor", "--store", store).output.contains(line))
    #expect(try sensord.run("status", "--store", store).output.contains(line))
    let words = try command(in: check.output).split(separator: " ").map { $0.filter { $0 != "'" } }
    let read = try sensord.run(Array(words.dropFirst()))
    #expect(read.output.contains("nothing new"), "\(read.errors)")
    for again in [try sensord.run("check", "--store", store), try sensord.run("sessions", "--store", store)] {
      #expect(again.status == 0 && again.errors.isEmpty, "\(again.errors)")
    }
    #expect(TemporaryFolder.names("\(folder.path)/store.journal") == ["00000003.journal.damaged.seen"])
  }

  @Test("a file of which nothing can be read has been looked at, too; one that cannot be opened has not")
  func unreadable() throws {
    let file = try folder.write("store.journal/00000004.journal.not-a-journal", "a letter\n")
    let outcome = try sensord.run("replay", file, "\(file).damaged", "--store", store)
    #expect(outcome.status != 0 && outcome.errorLines.count == 2)
    #expect(try sensord.run("check", "--store", store).status == 0)
    #expect(FileAccess.exists("\(file).seen"))
  }

  @Test("status names each in its text and its JSON")
  func status() throws {
    let text = StatusReport.text(
      SampleStatus.document(), now: SampleStatus.now, setAside: ["a\u{1B}[2J", "b"], columns: 80)
    #expect(text.contains("\na\u{FFFD}[2J\nb\nStore "))
    let json = SampleStatus.document().answer(setAside: ["a"]).text
    #expect(json.hasSuffix(#","setAside":["a"]}"#))
  }
}
