import Foundation
import HealthModel
import Testing
import Timeline

/// A real H10 with many ectopic beats, ten minutes (kbroman/detectPVC), where the test data are present.
@Suite("A real recording")
struct RealRecordingTests {
  static let folder = ProcessInfo.processInfo.environment["SENSORD_TEST_DATA"]

  static func h10() throws -> [SensorEvent] {
    let text = try String(contentsOfFile: #require(folder) + "/kbroman-detectPVC/polar_h10_rr.csv", encoding: .utf8)
    var script = Script()
    script.events.removeLast()
    var start: Int64?
    var rows: [(Int64, UInt16, [UInt16])] = []
    for line in text.split(whereSeparator: \.isNewline).dropFirst() {
      let cells = line.split(separator: ",", omittingEmptySubsequences: false)
      let nanoseconds = try #require(Int64(cells[0]))
      if let rate = UInt16(cells[1]) { rows.append((nanoseconds, rate, [])) }
      if let milliseconds = Double(cells[2]) {
        rows[rows.count - 1].2.append(UInt16((milliseconds * 1.024).rounded()))
      }
    }
    for (nanoseconds, rate, intervals) in rows {
      let first = start ?? nanoseconds
      start = first
      script.notify(intervals, at: Double((nanoseconds - first) / 1000) / 1e6 + 100, rate: rate)
    }
    return script.events
  }

  @Test("is one run of 798 beats in 600 notifications, and its intervals keep host time", .enabled(if: folder != nil))
  func isOneRun() throws {
    let timeline = SessionTimeline(try Self.h10())
    #expect(timeline.quality.notifications == 600)
    #expect(timeline.rates.count == 600)
    #expect(timeline.beats.count == 798)
    let ticks = timeline.beats.rrTicks.reduce(0) { $0 + Int($1) }
    #expect(abs(Double(ticks) / 1024 - 599.448) < 0.4)
    #expect(timeline.runs.count == 1)
    let unexplained = timeline.gaps.filter { $0.cause != "missedOrPause" }
    #expect(unexplained.isEmpty)
    let span = Double(timeline.endMicroseconds - timeline.startMicroseconds) / 1e6
    #expect(abs(Double(ticks) / 1024 - span) <= 3 + 50e-6 * span)
    let coverage = try #require(timeline.coverage)
    #expect(coverage.floor > 0.98)
    #expect(coverage.ceiling <= 1)
    #expect(timeline.quality.releaseDepthBeats == 2)
    #expect(abs(timeline.quality.driftPartsPerMillion ?? .nan) < 50)
  }
}
