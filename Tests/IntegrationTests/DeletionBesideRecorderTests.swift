import Foundation
import TestSupport
import Testing

/// `sensord delete` as a process beside a recorder that goes on, their journal shared.
@Suite("Deleting beside a recorder")
struct DeletionBesideRecorderTests {
  /// By what a session's values would be known again: its payloads as the journal and the captures have them, and every
  /// sixteen bytes of its packed blobs.
  private func patterns(of session: String, strap: String, in recording: Recording) throws -> [Data] {
    let blobs = try Program.run(
      "sensord",
      [
        "sql", "--csv", "--store", recording.store,
        """
        SELECT hex(chunk.payload) FROM chunks AS chunk JOIN samples AS sample ON sample.id = chunk.id >> 20
        JOIN changes AS session ON session.number = sample.session
        WHERE hex(session.uuid) = '\(session.filter { $0 != "-" }.uppercased())'
        """,
      ])
    #expect(blobs.status == 0, "\(blobs.errors)")
    var patterns = try recording.sent(by: strap).map { Data($0.utf8) }
    for line in blobs.output.split(separator: "\n").dropFirst() {
      let digits = Array(line.utf8)
      let bytes = stride(from: 0, to: digits.count, by: 2).map {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
      }
      for start in stride(from: 0, to: max(0, bytes.count - 16), by: 8) {
        patterns.append(Data(bytes[start..<start + 16]))
      }
    }
    return patterns
  }

  /// How many of the patterns are in any file of the recorder.
  private func found(_ patterns: [Data], in recording: Recording) throws -> Int {
    let root = recording.folder.appendingPathComponent("store").path
    let files = try FileManager.default.subpathsOfDirectory(atPath: root)
      .compactMap { FileManager.default.contents(atPath: "\(root)/\($0)") }
    return patterns.count { pattern in files.contains { $0.range(of: pattern) != nil } }
  }

  /// A strap that sends random intervals as they end, and a random energy, whose range is the strap's own: what
  /// counts up evenly is packed into the same bytes for every strap.
  private func strap(_ address: String, energies: Range<Int>, using random: inout SeededGenerator) -> String {
    var milliseconds = 0
    let values = (0..<1000).map { _ in
      let interval = Int.random(in: 300...1500, using: &random)
      let energy = Int.random(in: energies, using: &random)
      milliseconds += interval
      return #"{"t":\#(Double(milliseconds) / 1000),"bpm":\#(60_000 / interval),"energy":\#(energy),"#
        + #""rr_ms":[\#(interval)]}"#
    }
    return #"{"name":"Strap","address":"\#(address)","timeline":[\#(values.joined(separator: ","))]}"#
  }

  @Test("no byte of the session is left in the store, its log, the journal and the captures; the recorder goes on")
  func deletion() async throws {
    let (deleted, kept) = ("C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02")
    var random = SeededGenerator(seed: 5)
    let recording = try Recording(speed: 12)
    try recording.allow(deleted, kept)
    let straps = [
      strap(deleted, energies: 30_000..<60_000, using: &random), strap(kept, energies: 1..<30_000, using: &random),
    ]
    let simulator = try recording.simulator(#"{"straps":[\#(straps.joined(separator: ","))]}"#)
    try await simulator.printed("ready")
    let recorder = try recording.recorder()
    try await wait(for: "both straps") {
      try recording.sent(by: deleted).count > 100 && recording.sent(by: kept).count > 100
    }
    #expect(try Program.run("sensord", ["devices", "remove", deleted, "--store", recording.store]).status == 0)
    try await wait(for: "the commit") {
      try recording.sessions(of: deleted).first?["endReason"] as? String == "request"
    }
    let session = try #require(try recording.sessions(of: deleted).first?["id"] as? String)
    let patterns = try patterns(of: session, strap: deleted, in: recording)
    // All but those of values that arrived too late.
    let before = try found(patterns, in: recording)
    #expect(patterns.count > 130 && before > patterns.count * 9 / 10, "\(before) of \(patterns.count)")

    let deletion = try Program.run("sensord", ["delete", session, "--store", recording.store])
    #expect(deletion.status == 0, "\(deletion.errors)")
    #expect(try found(patterns, in: recording) == 0)
    #expect(try recording.traces(of: deleted) == [])
    #expect(recorder.isRunning)
    let arrived = try recording.sent(by: kept).count
    try await wait(for: "more values") { try recording.sent(by: kept).count > arrived + 50 }
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    #expect(try found(patterns, in: recording) == 0, "and it stays so")

    let left = try recording.sessions()
    try #require(left.count == 1)
    let rates = try recording.stored(left[0], format: "rates").map { Array($0[1...3]) }
    // What the strap sends while the recorder lets it go is no part of the session.
    #expect(rates.count > arrived)
    #expect(rates == Array(try recording.sent(by: kept).prefix(rates.count).map { try SentValue(hex: $0).rate }))
    let check = try Program.run("sensord", ["check", "--store", recording.store])
    #expect(check.status == 0, "\(check.output)\(check.errors)")
  }
}
