import Foundation
import TestSupport
import Testing

/// Straps without intervals whose recorder, and whose bus, go and come again: `rates_recorder` of the lab's scenarios.
@Suite("Gaps of rates in the real processes")
struct RateGapRecordingTests {
  /// One without and one with contact bits.
  private static let straps = ["C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02"]

  private static let scenario: String = {
    let profiles = straps.enumerated().map { index, strap in
      let values = (0..<600).map {
        #"{"t": \#(Double($0) / 5), "bpm": \#(60 + $0 % 40)\#(index == 0 ? "" : #", "contact": true"#)}"#
      }
      return #"{"name": "Armband", "address": "\#(strap)", "timeline": [\#(values.joined(separator: ", "))]}"#
    }
    return #"{"straps": [\#(profiles.joined(separator: ", "))]}"#
  }()

  /// Waits until five more values of each strap are in the journal.
  private func values(_ recording: Recording) async throws {
    let before = try Self.straps.map { try recording.received(from: $0) }
    try await wait(for: "values of both straps") {
      try zip(Self.straps, before).allSatisfy { try recording.received(from: $0) >= $1 + 5 }
    }
  }

  @Test("a recorder that was killed, then a bus that was restarted: two gaps, live, stored and replayed")
  func recorderAndBus() async throws {
    let recording = try Recording()
    for strap in Self.straps { try recording.allow(strap) }
    let simulator = try recording.simulator(Self.scenario)
    try await simulator.printed("ready")
    let first = try recording.recorder()
    try await values(recording)
    try await first.kill()
    let second = try recording.recorder()
    try await values(recording)
    recording.bus.kill()
    #expect(try await simulator.exitStatus() == 69)
    try recording.bus.start()
    let again = try recording.simulator(Self.scenario)
    try await again.printed("ready")
    try await values(recording)
    try await wait(for: "the live gaps") {
      try Self.straps.allSatisfy { try recording.status(of: $0)["gaps"] as? Int == 2 }
    }
    #expect(try await second.terminate() == 0, "\(second.text)")
    for strap in Self.straps {
      let session = try #require(try recording.sessions(of: strap).first)
      #expect(try recording.sessions(of: strap).count == 1)
      let gaps = try recording.gaps(of: session)
      #expect(gaps.map(\.reason) == ["recorder", "link"])
      #expect(try recording.exportedGaps(of: session) == gaps.map { [$0.start, $0.end] })
      #expect(try recording.replayedGaps(of: session) == gaps)
    }
  }
}
