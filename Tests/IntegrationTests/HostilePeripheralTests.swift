import Foundation
import TestSupport
import Testing

/// Peripherals that mean harm, against the programs as a person runs them. Straps choose their names and what they send.
@Suite("A hostile peripheral")
struct HostilePeripheralTests {
  /// 248 bytes, the longest name: a window's title, a cleared screen, forged rows, C1 controls, a direction override.
  private static let name: String = {
    let start = "\u{1B}]0;owned\u{7}\u{1B}[2J\r\nC0:FF:EE:00:00:99  forged row\u{9B}31m\u{202E}\u{85}\u{2028}\u{7F}"
    return start + String(repeating: "x", count: 248 - start.utf8.count)
  }()
  private static let pathName = "../../../../tmp/sensord-evil/$(reboot);`reboot`|'\"\\%s%n"

  private func quoted(_ text: String) throws -> String {
    String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
  }

  /// Nothing in `text` moves a cursor or begins a line that the program did not begin.
  private func expectPlain(_ text: String, _ what: Comment) {
    let isPlain = { (scalar: Unicode.Scalar) in
      scalar == "\n"
        || scalar.value >= 0x20 && scalar.value != 0x7F && scalar.properties.generalCategory != .control
          && scalar.properties.generalCategory != .format && scalar.properties.generalCategory != .lineSeparator
    }
    #expect(text.unicodeScalars.allSatisfy(isPlain), what)
    #expect(!text.split(separator: "\n").contains { $0.hasPrefix("C0:FF:EE:00:00:99") }, what)
  }

  private func files(below folder: URL) -> [String] {
    FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
  }

  @Test(
    "a flood of 1,000 values a second from a strap with a harmful name is stored whole; no output carries the name raw")
  func flood() async throws {
    let address = "C0:FF:EE:00:00:0A"
    let other = "C0:FF:EE:00:00:0B"
    let recording = try Recording(speed: 2)
    try recording.allow(address, other)
    let simulator = try recording.simulator(
      """
      {"resolve": "usual", "straps": [
        {"name": \(try quoted(Self.name)), "address": "\(address)", "adv_ms": 20, "flood": {"per_second": 1000, "values": 2500}},
        {"name": \(try quoted(Self.pathName)), "address": "\(other)", "adv_ms": 20, "flood": {"per_second": 5, "values": 5}},
        {"name": \(try quoted(Self.name)), "address": "C0:FF:EE:00:00:0C", "adv_ms": 20}
      ]}
      """)
    try await simulator.printed("ready")
    let recorder = try recording.recorder()
    try await wait(for: "both to end") {
      try recording.count("end", of: address) == 1 && recording.count("end", of: other) == 1
    }
    try await recording.arrive()
    let runtime = recording.folder.appendingPathComponent("run").path
    let status = try Program.run("sensord", ["status"], environment: ["RUNTIME_DIRECTORY": runtime])
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")

    let sent = try recording.sent(by: address).map { try SentValue(hex: $0).rate }
    #expect(sent.count == 2500)
    #expect(try recording.count("swallowed", of: address) == 0)
    let session = try #require(try recording.sessions(of: address).first)
    #expect(try recording.stored(session, format: "rates").map { Array($0[1...3]) } == sent)
    #expect(
      (session["device"] as? [String: Any])?["name"] as? String == Self.name, "JSON has the name as it came, escaped")

    expectPlain(recorder.text, "the log")
    expectPlain(status.output + status.errors, "status")
    for arguments in [
      ["devices", "list"], ["devices", "list", "--json"], ["sessions"], ["sessions", "--json"], ["show", "last"],
      ["show", "last", "--json"], ["export", "last", "--format", "beats"], ["check"],
    ] {
      let result = try Program.run("sensord", arguments + ["--store", recording.store])
      #expect(result.status == 0, "\(arguments)")
      expectPlain(result.output + result.errors, "\(arguments)")
    }
    #expect(recorder.text.split(separator: "\n").count < 60, "the log does not grow with what is sent")

    // Names become no paths: every file has a name of ours.
    let names = files(below: recording.folder)
    let ours = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789-./")
    #expect(names.allSatisfy { $0.unicodeScalars.allSatisfy(ours.contains) }, "\(names)")
    #expect(names.contains { $0.hasPrefix("store/sensord.captures/") })
    #expect(!FileManager.default.fileExists(atPath: "/tmp/sensord-evil"))
  }

  @Test("a strap that connects and leaves without end is one session, with a log, a journal and descriptors in bounds")
  func endlessReconnects() async throws {
    let address = "C0:FF:EE:00:00:0D"
    let steady = "C0:FF:EE:00:00:0E"
    let recording = try Recording(speed: 2)
    try recording.allow(address, steady)
    let leaves = (1...400).map { #"{"t": \#(Double($0) * 0.25), "event": "drop", "strap": "\#(address)"}"# }
    let simulator = try recording.simulator(
      """
      {"resolve": "usual", "timeline": [\(leaves.joined(separator: ", "))], "straps": [
        {"name": "Flapping", "address": "\(address)", "adv_ms": 20, "flood": {"per_second": 50, "values": 100000}},
        {"name": "Steady", "address": "\(steady)", "adv_ms": 20, "flood": {"per_second": 20, "values": 160}}
      ]}
      """)
    try await simulator.printed("ready")
    let recorder = try recording.recorder()
    try await wait(for: "three reconnects") { try recording.count("connected", of: address) >= 4 }
    let before = try recorder.descriptors()
    try await wait(for: "the steady strap's end, and six reconnects") {
      try recording.count("end", of: steady) == 1 && recording.count("connected", of: address) >= 7
    }
    try await recording.arrive()
    // A link more or less, and the status file that is just being replaced.
    #expect(try recorder.descriptors() <= before + 3)
    let links = try recording.count("connected", of: address)
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")

    #expect(try recording.sessions(of: address).count <= 1)
    let session = try #require(try recording.sessions(of: steady).first)
    let sent = try recording.sent(by: steady).map { try SentValue(hex: $0).rate }
    #expect(
      try recording.stored(session, format: "rates").map { Array($0[1...3]) } == sent, "the other strap lost nothing")
    #expect(recorder.text.split(separator: "\n").count <= 12 + 4 * links, "a few lines a link at most")
  }
}
