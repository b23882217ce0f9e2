import Foundation
import TestSupport
import Testing

/// Programs that others wrote, each with one output: what they read is what people see.
@Suite("Programs of others", .timeLimit(.minutes(5)))
struct ConsumerTests {
  private static let all = [
    "curl", "events", "godot", "hrcounter", "hyperate", "mqtt", "osc", "own-socket", "prometheus", "text-file",
  ]

  @Test("each sees a value while the strap measures, its own form of none when the strap is gone, and the return")
  func lossAndReturn() async throws {
    let stage = try ProgramStage()
    try await stage.recorder()
    let consumers = try stage.consumers()
    try await consumers.printed("ports ")
    let ports = consumers.text.split { $0 == " " || $0.isNewline }
    let hub = try stage.hub(
      "--text-file", "\(stage.folder.path)/rate", "--osc", "127.0.0.1:\(ports[1])", "--mqtt", "127.0.0.1:\(ports[2])")
    try await hub.printed("listening on")
    let token = try stage.ask("token", "add", "test")
    #expect(try stage.read("/hr?format=none", token).status == 400)
    try stage.folder.write("token", token)
    try await all(consumers, say: "none")

    var strap = try stage.strap(offSkin: 0..<0)
    try await all(consumers, say: "value")
    strap.end()
    try await all(consumers, say: "none")
    strap = try stage.strap(offSkin: 0..<0)
    try await all(consumers, say: "value")
    strap.end()

    // The hub ends: a file and a broker are left, and hold no number.
    #expect(hub.terminate() == 0)
    try await wait(for: "none where something is left") {
      let last = Self.last(consumers)
      return last["text-file"] == "none" && last["mqtt"] == "none"
    }
  }

  /// Waits until each one's last word is this; a fault ends the wait.
  private func all(_ consumers: Running, say word: String) async throws {
    try await wait(for: "\(word) from each") {
      let last = Self.last(consumers)
      if let fault = last.first(where: { $0.value.hasPrefix("fault") }) {
        throw ProgramStage.Failure(description: "\(fault.key) \(fault.value)")
      }
      return Self.all.allSatisfy { last[$0] == word }
    }
  }

  private static func last(_ consumers: Running) -> [String: String] {
    let lines = consumers.text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
    return Dictionary(lines.filter { $0.count == 2 && all.contains($0[0]) }.map { ($0[0], $0[1]) }) { $1 }
  }
}
