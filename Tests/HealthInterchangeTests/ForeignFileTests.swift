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
