import Foundation
import HealthModel
import Testing

@testable import HealthInterchange

/// Files that devices of others wrote; only where `SENSORD_TEST_DATA` names their folder.
@Suite("Files of others")
struct ForeignFileTests {
  private static let folder = ProcessInfo.processInfo.environment["SENSORD_TEST_DATA"]

  private func read(_ name: String) throws -> Reading {
    let folder = try #require(Self.folder)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
    let format = try #require(ForeignFormat(beginning: Array(bytes.prefix(4096))))
    return try Reading(Array(bytes), format, pieces: 1000)
  }

  @Test(
    "every FIT file is read whole: its rates, and as many intervals as it has",
    .enabled(if: folder != nil),
    arguments: [
      ("fit/garmin-edge-820-bike", 126), ("fit/garmin-fenix-5-run", 113), ("fit/garmin-fenix-5-walk", 62),
    ])
  func fit(name: String, intervals: Int) throws {
    let reading = try read("\(name).fit")
    #expect(reading.damage == nil)
    #expect(reading.account.notes.isEmpty)
    #expect(reading.sessions.count == 1)
    let session = try #require(reading.sessions.first)
    let found = session.heartbeats.beats.count - session.heartbeats.runs.count
    #expect(found == intervals)
    let folder = try #require(Self.folder)
    // The source's own decoding of the records.
    let lines = try String(contentsOfFile: "\(folder)/\(name)-records.csv", encoding: .utf8)
      .split(whereSeparator: \.isNewline)
    let column = try #require(
      lines.first?.split(separator: ",", omittingEmptySubsequences: false).firstIndex(of: "heart_rate"))
    let rates = lines.dropFirst().compactMap {
      UInt16(String($0.split(separator: ",", omittingEmptySubsequences: false)[column]))
    }
    #expect(session.rates.map(\.beatsPerMinute) == rates)
  }

  /// What others count in these records (PhysioNet's): beats, and premature ones of atria or ventricles.
  @Test(
    "PhysioNet's annotations are read whole: every beat at its tick, premature ones ectopic",
    .enabled(if: folder != nil, "SENSORD_TEST_DATA names no folder"),
    arguments: [
      ("100", "atr", 360, 2273, 34), ("1003", "atr", 360, 957, 0), ("12726", "wqrs", 250, 3653, 0),
    ])
  func wfdb(name: String, ending: String, ticks: Int32, beats: Int, premature: Int) throws {
    let folder = try #require(Self.folder)
    func bytes(_ ending: String) throws -> [UInt8] {
      Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/wfdb-sample-data/\(name).\(ending)")))
    }
    let header = try bytes("hea")
    #expect(ForeignFormat(beginning: Array(header.prefix(4096))) == .wfdb)
    let reading = try Reading(header + [0] + bytes(ending), .wfdb, start: MadeUp.start, pieces: 1000)
    #expect(reading.damage == nil)
    let series = try #require(reading.sessions.first).heartbeats
    #expect(reading.sessions.count == 1)
    #expect(series.timescale == ticks)
    #expect(series.beats.count == beats)
    // Who finds none may not look for them: then they are ours.
    if premature > 0 { #expect(series.beats.count { $0.flags.contains(.ectopic) } == premature) }
  }

  /// PhysioNet's intervals between annotated beats, as scripts keep them: a letter for the rhythm, then ticks of 1/250 s.
  @Test(
    "intervals of fibrillation and of healthy days come in to the millisecond",
    .enabled(if: folder != nil, "SENSORD_TEST_DATA names no folder"),
    arguments: ["00735", "04015", "04048", "04746", "nsr004", "nsr009"])
  func rhythms(name: String) throws {
    let folder = try #require(Self.folder)
    let text = try String(contentsOfFile: "\(folder)/af/\(name).rr", encoding: .utf8)
    let ticks = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    let milliseconds = ticks.map { $0 * 4 }.filter { $0 <= 10_000 }
    let lines = milliseconds.map { "\($0)\n" }.joined()
    let reading = try Reading(Array(lines.utf8), .rr, start: MadeUp.start, pieces: 65_536)
    #expect(reading.damage == nil)
    let found = reading.sessions.flatMap { $0.heartbeats.beats.filter { !$0.flags.contains(.firstOfRun) } }
    #expect(found.map { Int($0.rrTicks) } == milliseconds)
    #expect(ticks.count > 1000)
  }

  @Test("a TCX file is read, and one without rates has no session", .enabled(if: folder != nil))
  func tcx() throws {
    let reading = try read("tcx/test.tcx")
    #expect(reading.damage == nil)
    let rates = try #require(reading.sessions.first).rates.map(\.beatsPerMinute)
    #expect(rates.count == 383)
    #expect(rates.min() == 60)
    #expect(rates.max() == 189)
    let mean = rates.map(Double.init).reduce(0, +) / 383
    #expect(abs(mean - 156.653) < 0.001)
    #expect(try read("tcx/no_hr.tcx").sessions.isEmpty)
  }
}
