import Foundation
import HealthModel
import Testing

@testable import LiveHub

@Suite("What was recorded, as it is told")
struct ArchiveTests {
  private static let start = Timestamp(milliseconds: 1_795_000_000_000)

  /// Beats of 1024 ticks; those at `gaps` are preceded by one, with a silence of ten seconds before.
  private func series(_ count: Int, gaps: Set<Int> = [], ticks: (Int) -> UInt32 = { _ in 1024 }) throws
    -> HeartbeatSeries
  {
    var beats: [Heartbeat] = []
    var runs: [HeartbeatSeries.Run] = []
    var (time, first) = (Self.start, 0)
    var runStart = time
    for index in 0..<count {
      if gaps.contains(index) {
        runs.append(.init(beats: first..<index, map: AffineTimeMap(anchor: runStart)))
        time = time.advanced(byMicroseconds: 10_000_000)
        (first, runStart) = (index, time)
      } else if index > 0 {
        time = time.advanced(byMicroseconds: Int64(ticks(index)) * 1_000_000 / 1024)
      }
      beats.append(Heartbeat(rrTicks: ticks(index), precededByGap: gaps.contains(index)))
    }
    runs.append(.init(beats: first..<count, map: AffineTimeMap(anchor: runStart)))
    return try HeartbeatSeries(timescale: 1024, runs: runs, beats: beats)
  }

  @Test("a curve has a stretch on each side of a gap, and the gap between its beats")
  func gaps() throws {
    let curve = try #require(BeatCurve(try series(10, gaps: [5])))
    let zero = Self.start.microseconds / 1000
    #expect(curve.stretches.map(\.count) == [4, 4])
    #expect(curve.gaps.map { [$0.start, $0.end] } == [[zero + 4000, zero + 14_000]])
    #expect(curve.start == zero && curve.end == zero + 18_000)
    // The first of each stretch ends no interval that is known.
    #expect(curve.beats == 10 && curve.unused == 2)
    #expect(curve.stretches[1].first?.time == zero + 15_000)
  }

  @Test("beats at both ends of time, as a damaged store has them, are a curve")
  func endsOfTime() throws {
    let anchors = [Timestamp(microseconds: .min), Timestamp(microseconds: .max - 10_000_000)]
    let series = try HeartbeatSeries(
      timescale: 1024,
      runs: anchors.enumerated().map { index, anchor in
        .init(beats: 2 * index..<2 * index + 2, map: AffineTimeMap(anchor: anchor))
      }, beats: (0..<4).map { Heartbeat(rrTicks: 1024, precededByGap: $0 == 2) })
    let curve = try #require(BeatCurve(series))
    #expect(curve.stretches.map(\.count) == [1, 1] && curve.beats == 4)
    #expect(curve.start < curve.gaps[0].start && curve.gaps[0].start < curve.gaps[0].end)
  }

  @Test("ten hours are as many points as a screen has columns, and no extreme is lost")
  func thinned() throws {
    let curve = try #require(
      BeatCurve(try series(36_000) { $0 == 20_000 ? 700 : 1024 }, columns: 500))
    #expect(curve.stretches.count == 1 && curve.stretches[0].count <= 501)
    #expect(curve.stretches[0].map(\.lowest).min() == 683.6)
    #expect(curve.stretches[0].map(\.highest).max() == 1000)
    #expect(curve.gaps.isEmpty)
  }

  @Test("no variability is given where the rule refuses it, and the reason stands there")
  func refusals() throws {
    let short = try #require(VariabilityEntry(try series(5)))
    #expect(short.figures.contains { $0.value == nil })
    #expect(short.figures.allSatisfy { ($0.value == nil) != ($0.refused == nil) })
    let thin = try #require(VariabilityEntry(try series(400, gaps: Set(stride(from: 2, to: 400, by: 3)))))
    #expect(thin.coverage < 0.5)
    #expect(thin.figures.first { $0.name == "rmssd" }.map { $0.value == nil } ?? true)
    let long = try #require(VariabilityEntry(try series(400) { 1000 + UInt32($0 % 7) }))
    #expect(long.figures.contains { $0.value != nil })
  }

  @Test("beats and rates of one session are one entry; what belongs to none is not listed")
  func entries() {
    let session = UUID()
    let source = SourceRevision(identifier: "sensord", name: "sensord")
    func sample(_ type: SampleType, _ count: Int, of session: UUID?, summary: SampleSummary? = nil) -> HealthSample {
      HealthSample(
        id: UUID(), type: type, source: source, start: Self.start,
        end: Self.start.advanced(byMicroseconds: 60_000_000), count: count, summary: summary, session: session,
        change: 0)
    }
    let entries = SessionEntry.entries(of: [
      sample(.heartbeatSeries, 60, of: session), sample(.quantity(.heartRate), 60, of: session),
      sample(.quantity(.heartRate), 1, of: nil),
    ])
    #expect(entries.count == 1)
    #expect(entries.first?.id == session.uuidString.lowercased() && entries.first?.beats == 60)
    #expect(BeatCurve(HeartbeatSeries()) == nil && VariabilityEntry(HeartbeatSeries()) == nil)
  }
}
