import Foundation
import TestSupport
import Testing

/// Programs that others wrote, each with one output, and a browser: what they read is what people see.
@Suite("Programs of others", .timeLimit(.minutes(10)))
struct ConsumerTests {
  private static let all = [
    "curl", "events", "godot", "hrcounter", "hyperate", "mqtt", "osc", "overlay", "own-socket", "page", "prometheus",
    "text-file",
  ]

  /// What takes the value away, and what brings it back.
  private struct Cause {
    let name: String
    let begin: () async throws -> Void
    let end: () async throws -> Void
  }

  @Test("each sees a value while the strap measures, its own form of none for each cause, and the return")
  func causes() async throws {
    let stage = try ProgramStage()
    try await stage.recorder()
    var relay: Running? = try await stage.relay()
    let consumers = try stage.consumers()
    try await consumers.printed("ports ")
    let ports = consumers.text.split { $0 == " " || $0.isNewline }
    let hub = try stage.hub(
      "--text-file", "\(stage.folder.path)/rate", "--osc", "127.0.0.1:\(ports[1])", "--mqtt", "127.0.0.1:\(ports[2])",
      "--bus", stage.relayAddress)
    try await hub.printed("listening on")
    let token = try stage.ask("token", "add", "test")
    #expect(try stage.read("/hr?format=none", token).status == 400)
    try stage.folder.write("token", token)
    try await all(consumers, say: "none")

    let strap = try await stage.handStrap()
    try await all(consumers, say: "value")
    let causes = [
      Cause(
        name: "range", begin: { try strap.befalls(#"{"event": "vanish"}"#) },
        end: { try strap.befalls(#"{"event": "advertise"}"#) }),
      // Nothing comes any more, and the link ends later.
      Cause(
        name: "battery", begin: { strap.beats(false) },
        end: {
          try strap.befalls(#"{"event": "stop"}"#)
          strap.beats(true)
          try strap.befalls(#"{"event": "advertise"}"#)
        }),
      Cause(name: "skin", begin: { strap.isOnSkin(false) }, end: { strap.isOnSkin(true) }),
      Cause(
        name: "bluetoothd", begin: { try strap.befalls(#"{"event": "bluetoothd", "do": "TERM"}"#) },
        end: { try strap.befalls(#"{"event": "bluetoothd", "do": "start"}"#) }),
      Cause(
        name: "stands", begin: { try strap.befalls(#"{"event": "bluetoothd", "do": "STOP"}"#) },
        end: { try strap.befalls(#"{"event": "bluetoothd", "do": "CONT"}"#) }),
      Cause(name: "recorder", begin: { stage.killRecorder() }, end: { try await stage.recorder() }),
      Cause(name: "cut off", begin: { relay = nil }, end: { relay = try await stage.relay() }),
      Cause(name: "bus stands", begin: { relay?.send(SIGSTOP) }, end: { relay?.send(SIGCONT) }),
    ]
    var table = CauseTable(outputs: Self.all)
    for cause in causes {
      try await cause.begin()
      try await all(consumers, say: "none")
      let beat = Self.lines(consumers).last { $0[0] == "beat" }
      let due = try #require(beat.flatMap { Double($0[1]) }) + HandStrap.interval
      let gone = Self.last(consumers)
      let end = Self.bootTime
      try await cause.end()
      try await all(consumers, say: "value")
      let back = Self.last(consumers)
      table.add(cause.name, gone.mapValues { $0.time - due }, back.mapValues { $0.time - end })
    }
    print(table.text)

    // The hub ends: a file and a broker are left, and hold no number.
    #expect(hub.terminate() == 0)
    try await wait(for: "none where something is left") {
      let last = Self.last(consumers)
      return last["text-file"]?.word == "none" && last["mqtt"]?.word == "none"
    }
  }

  private static var bootTime: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Waits until each one's last word is this; a fault ends the wait.
  private func all(_ consumers: Running, say word: String) async throws {
    do {
      try await wait(for: "\(word) from each") {
        let last = Self.last(consumers)
        if last.contains(where: { $0.value.word == "fault" }) {
          throw ProgramStage.Failure(description: "a reader trips")
        }
        return Self.all.allSatisfy { last[$0]?.word == word }
      }
    } catch {
      let others = Self.last(consumers).filter { $0.value.word != word }
      let words = others.map { "\($0.key): \($0.value.word) \($0.value.why)" }.sorted().joined(separator: "\n")
      throw ProgramStage.Failure(description: "\(error)\n\(words)")
    }
  }

  private static func lines(_ consumers: Running) -> [[String]] {
    consumers.text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 3).map(String.init) }
      .filter { $0.count >= 2 }
  }

  /// Each reader's last word, when that was, and why.
  private static func last(_ consumers: Running) -> [String: (word: String, time: Double, why: String)] {
    let words = lines(consumers).filter { $0.count >= 3 && ["value", "none", "fault"].contains($0[1]) }
    return Dictionary(words.map { ($0[0], ($0[1], Double($0[2]) ?? 0, $0.count > 3 ? $0[3] : "")) }) { $1 }
  }
}

/// The values that each output showed for each cause.
struct CauseTable {
  private let outputs: [String]
  private var columns: [(name: String, cells: [String])] = []

  init(outputs: [String]) { self.outputs = outputs }

  /// Seconds from the beat that was due to "none", and from the cause's end to a value.
  mutating func add(_ cause: String, _ gone: [String: Double], _ back: [String: Double]) {
    func cell(_ seconds: Double?) -> String { seconds.map { String(format: "%.1f", max(0, $0)) } ?? "?" }
    columns.append((cause, outputs.map { "\(cell(gone[$0])), \(cell(back[$0]))" }))
  }

  var text: String {
    let rows =
      [["output"] + columns.map(\.name), ["---"] + columns.map { _ in "---" }]
      + outputs.enumerated().map { number, name in [name] + columns.map { $0.cells[number] } }
    return rows.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }
}
