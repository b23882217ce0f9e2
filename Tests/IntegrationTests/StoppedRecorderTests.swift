import Foundation
import TestSupport
import Testing

@testable import Simulator

/// A recorder that does not run for a minute in the middle of a session, while its strap goes on.
@Suite("A stopped recorder")
struct StoppedRecorderTests {
  private static let address = "C0:FF:EE:00:00:01"
  private static let seconds = 75
  private static let stop: Int64 = 60

  /// The strap's values, and what another program does, by the second.
  private static func timeline(_ other: [(second: Int, deed: String)]) -> String {
    let first = other.isEmpty ? 0 : 12
    let values = (0..<seconds).map {
      #"{"t": \#(first + $0), "bpm": \#(60 + $0 % 7), "rr_ms": [\#(990 + $0 % 20)]}"#
    }
    let strap = #"{"address": "\#(address)", "timeline": [\#(values.joined(separator: ", "))]}"#
    let deeds = other.map { #"{"t": \#($0.second), "event": "client", "do": "\#($0.deed)"}"# }
    return #"{"timeline": [\#(deeds.joined(separator: ", "))], "straps": [\#(strap)]}"#
  }

  /// Plays the strap, stops the recorder for a minute after eight values, and gives its session.
  private func played(
    _ recording: Recording, other: [(second: Int, deed: String)] = [], changed: [String: String] = [:]
  ) async throws -> [String: Any] {
    try recording.allow(Self.address)
    let simulator = try recording.simulator(Self.timeline(other), holdingAfter: other.isEmpty ? nil : 8)
    try await simulator.printed("ready")
    // To discover is two calls.
    try await wait(for: "the other program") { try other.isEmpty || recording.count("done") >= other.count + 1 }
    let recorder = try recording.recorder(changed: changed)
    try await wait(for: "eight values") { try recording.received(from: Self.address) >= 8 }
    try await recording.stop(recorder, for: Self.stop)
    try await wait(for: "the strap to end") { try recording.count("end", of: Self.address) == 1 }
    try await recording.arrive()
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    #expect(recorder.text.contains("the recorder did not run for"), "\(recorder.text)")
    let sessions = try recording.sessions(of: Self.address)
    try #require(sessions.count == 1)
    return sessions[0]
  }

  /// A time of an export, in microseconds since 1970 (UTC).
  private static func microseconds(_ text: String) throws -> Int64 {
    let date = try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    return Int64((date.timeIntervalSince1970 * 1_000_000).rounded())
  }

  /// The instants of the measurements, the lengths of the stalls, and whether instants ever go back.
  private func instants(
    _ records: [[String]]
  ) -> (values: [Int64], stalls: [(end: Int64, microseconds: Int64)], areInOrder: Bool) {
    let events = records.compactMap { words in Int64(words[0]).map { (instant: $0, words: words) } }
    let values = events.filter { $0.words[1] == "m" }.map(\.instant)
    let stalls = events.filter { $0.words[1] == "stall" }.map {
      (end: $0.instant, microseconds: Int64($0.words[2]) ?? 0)
    }
    return (values, stalls, zip(events, events.dropFirst()).allSatisfy { $0.instant <= $1.instant })
  }

  @Test("keeps its link and loses nothing, and each value that waited has the arrival that the kernel saw")
  func stopped() async throws {
    let recording = try Recording(speed: 12)
    let session = try await played(recording)
    #expect(try recording.count("disconnected", of: Self.address) == 1, "at the recorder's end only")
    #expect(try recording.captured(session) == recording.delivered(by: Self.address))
    #expect((session["heartbeats"] as? [String: Any])?["gaps"] as? Int == 0)
    let found = instants(try recording.records(session))
    #expect(found.areInOrder)
    #expect(found.stalls.count == 1)
    let stall = try #require(found.stalls.first)
    #expect((55_000_000...62_000_000).contains(stall.microseconds), "\(stall.microseconds)")
    let waited = found.values.filter { (stall.end - stall.microseconds..<stall.end).contains($0) }
    #expect(waited.count >= 50)
    // One may be sent in the very step of time in which the recorder runs again.
    #expect(found.values.count { $0 == stall.end } <= 1)
    // A value a second, before, in and after the stall.
    let distances = zip(found.values, found.values.dropFirst()).map { $1 - $0 }
    #expect(distances.allSatisfy { (700_000...1_300_000).contains($0) }, "\(distances)")
    // Each value has one beat, which is no earlier than it may be: by its interval and what the sensor takes.
    let offset = try #require(
      try recording.records(session).compactMap { $0[1] == "clock" ? Int64($0[2]) : nil }.last)
    let beats = try recording.stored(session, format: "beats").map { try Self.microseconds($0[0]) }
    #expect(beats.count == found.values.count)
    let early = zip(beats, found.values).map { $1 + offset - $0 }
    #expect(early.allSatisfy { (-200_000...1_500_000).contains($0) }, "\(early)")
    let id = try #require(session["id"] as? String)
    let report = try Program.run("sensord", ["show", id, "--store", recording.store, "--json"]).output
    #expect(report.contains(#""stalledMicroseconds":\#(stall.microseconds)"#), "\(report)")
  }

  /// Whether the values that waited all stand behind the stall, with its very instant, and the others where they should.
  private func checkStampless(_ session: [String: Any], _ recording: Recording) throws {
    let records = try recording.records(session)
    let found = instants(records)
    #expect(try recording.count("connected", of: Self.address) == 1)
    #expect(try recording.captured(session) == recording.delivered(by: Self.address))
    #expect(found.areInOrder)
    #expect(found.stalls.count == 1)
    let stall = try #require(found.stalls.first)
    // The first timer that was due shows it: that of a silence, at the latest.
    #expect((50_000_000...62_000_000).contains(stall.microseconds), "\(stall.microseconds)")
    #expect(found.values.count { $0 == stall.end } >= 50)
    #expect(!found.values.contains { (stall.end - stall.microseconds..<stall.end).contains($0) })
    let place = try #require(records.firstIndex { $0.count > 1 && $0[1] == "stall" })
    #expect(records.firstIndex { $0[0] == "\(stall.end)" && $0[1] == "m" } ?? 0 > place)
  }

  @Test("keeps its link and loses nothing where the kernel says no arrivals: what waited has the instant of its end")
  func stampless() async throws {
    let recording = try Recording(speed: 12)
    let session = try await played(recording, changed: ["FASTCLOCK_STAMPLESS": ""])
    try checkStampless(session, recording)
  }

  @Test("does the same with values that come as signals since another program has the socket")
  func signals() async throws {
    let recording = try Recording(speed: 12)
    let session = try await played(
      recording, other: [(1, "discover"), (2, "connect"), (5, "subscribe")])
    try checkStampless(session, recording)
  }
}
