import Foundation
import HealthModel
import Reports
import Support
import TestSupport
import Testing

@testable import sensord

/// `sensord help`: topics beside the commands.
@Suite("HelpCommand")
struct HelpCommandTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }

  @Test(
    "each topic is printed by its name, fits 80 columns and begins with what it is about",
    arguments: HelpTopic.allCases)
  func topics(topic: HelpTopic) throws {
    let outcome = try sensord.run("help", topic.rawValue)
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(outcome.output.hasPrefix("\(topic.rawValue): \(topic.abstract)\n\n"))
    #expect(outcome.output.split(separator: "\n").allSatisfy { PrintableText.width(of: String($0)) <= 80 })
    #expect(outcome.output.split(separator: "\n").count >= 12)
  }

  @Test("the topics are listed, and named by the help of the program")
  func list() throws {
    let (list, help) = (try sensord.run("help", "topics"), try sensord.run("--help"))
    #expect(list.status == 0)
    for topic in HelpTopic.allCases {
      #expect(list.output.contains("  \(topic.rawValue) ") && list.output.contains(topic.abstract))
      #expect(help.output.contains(topic.rawValue))
    }
  }

  @Test("a command is explained as by --help", arguments: [[], ["show"], ["devices", "add"], ["workout"]])
  func commands(words: [String]) throws {
    let outcome = try sensord.run(["help"] + words)
    #expect(outcome.status == 0)
    #expect(outcome.output == (try sensord.run(words + ["--help"])).output)
  }

  @Test(
    "an unknown word ends with 64 and says what was meant",
    arguments: [
      (["gap"], "no topic or command 'gap'; did you mean 'gaps'"),
      (["sesions"], "no topic or command 'sesions'; did you mean 'sessions'"),
      (["devices", "ad"], "no topic or command 'devices ad'; did you mean 'add'?"),
      (["demo-child"], "no topic or command 'demo-child'; "),
      (["gaps", "x"], "no topic or command 'gaps x'; did you mean 'gaps'"),
      (["qqqq"], "no topic or command 'qqqq'; 'sensord help topics' and 'sensord --help' list them"),
    ])
  func unknown(words: [String], answer: String) throws {
    let outcome = try sensord.run(["help"] + words)
    #expect(outcome.status == Code.usage.rawValue && outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("sensord: \(answer)"), "\(outcome.errors)")
    #expect(outcome.errorLines.count == 1)
  }

  @Test("each exit code of the program is explained")
  func exitCodes() {
    let codes = HelpTopic.exitCodes.text.split(separator: "\n").compactMap { line in
      line.split(separator: " ").first.flatMap { Int32($0) }
    }
    #expect(codes == ExitStatus.allCases.map(\.rawValue))
  }

  @Test("each section of the configuration is explained")
  func sections() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let example = try String(contentsOf: root.appending(path: "systemd/sensord.conf.example"), encoding: .utf8)
    let sections = example.split(separator: "\n").filter { $0.hasPrefix("[") }
    #expect(sections.count >= 8)
    for section in sections { #expect(HelpTopic.configuration.text.contains("  \(section) ")) }
  }

  @Test("each reason of a gap is explained")
  func reasons() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let format = try String(contentsOf: root.appending(path: "Documentation/store-format.md"), encoding: .utf8)
    let row = try #require(format.split(separator: "\n").first { $0.hasPrefix("| `gaps` |") })
    let list = try #require(row.split(separator: "(").dropFirst().first?.split(separator: ";").first)
    let reasons = list.split(separator: "`").enumerated().filter { $0.offset % 2 == 0 }.map { String($0.element) }
    #expect(reasons.count == 10)
    for reason in reasons { #expect(HelpTopic.gaps.text.contains(reason), "\(reason)") }
  }
}
