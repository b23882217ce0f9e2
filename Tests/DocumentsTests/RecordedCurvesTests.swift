import HealthModel
import RecordingSamples
import Testing

@testable import Documents

@Suite("Curves of a recording")
struct RecordedCurvesTests {
  private let start = Timestamp(microseconds: 1_795_226_888_000_000)

  private func time(_ seconds: Double) -> Timestamp { start.advanced(byMicroseconds: Int64(seconds * 1e6)) }

  private func curves(
    _ rates: [HeartRateValue] = [], _ heartbeats: [HeartbeatSeries] = [], gaps: [RecordingGap] = [],
    to end: Double = 100
  ) throws -> RecordedCurves {
    RecordedCurves(
      in: try #require(TimeSpan(start: start, end: time(end))), rates: rates, heartbeats: heartbeats, gaps: gaps)
  }

  private func rate(_ seconds: Double, _ value: UInt16 = 60, _ contact: SensorContact = .notSupported) -> HeartRateValue
  {
    HeartRateValue(time: time(seconds), beatsPerMinute: value, contact: contact)
  }

  private func gap(_ from: Double, _ to: Double) -> RecordingGap {
    RecordingGap(reason: "link", start: time(from), end: time(to))
  }

  /// Where each stretch of rates begins and ends, in seconds.
  private func ends(_ curves: RecordedCurves) -> [[Double]] {
    curves.rates.map { stretch in
      [stretch[0], stretch[stretch.count - 1]].map { Double($0.time.microseconds(since: start)) / 1e6 }
    }
  }

  @Test("rates are one stretch while they come, and a new one after ten seconds without any")
  func stretches() throws {
    #expect(ends(try curves([rate(0), rate(1), rate(11), rate(21.5), rate(22)])) == [[0, 11], [21.5, 22]])
  }

  @Test("no stretch of rates goes across a gap, however short it is")
  func gaps() throws {
    let rates = (0...6).map { rate(Double($0)) }
    #expect(ends(try curves(rates, gaps: [gap(2.2, 2.3)])) == [[0, 2], [3, 6]])
    #expect(ends(try curves(rates, gaps: [gap(2, 3)])) == [[0, 2], [3, 6]])
    // What came within a gap is a value of its own.
    #expect(ends(try curves(rates, gaps: [gap(1.5, 4.5)])) == [[0, 1], [2, 2], [3, 3], [4, 4], [5, 6]])
    // In any order, one in the other.
    #expect(ends(try curves(rates, gaps: [gap(4.1, 4.2), gap(0.5, 5.5)])).count == 7)
  }

  @Test("a rate from off the skin is none, and ends the stretch")
  func offSkin() throws {
    #expect(
      ends(try curves([rate(0), rate(1, 60, .detected), rate(2, 60, .notDetected), rate(3)])) == [[0, 1], [3, 3]])
  }

  @Test("runs of beats at both ends of time, as a damaged store has them, are an interval each")
  func endsOfTime() throws {
    let anchors = [Timestamp(microseconds: .min), Timestamp(microseconds: .max - 10_000_000)]
    let series = try HeartbeatSeries(
      timescale: 1024,
      runs: anchors.enumerated().map { index, anchor in
        .init(beats: 2 * index..<2 * index + 2, map: AffineTimeMap(anchor: anchor))
      }, beats: (0..<4).map { Heartbeat(rrTicks: 1024, precededByGap: $0 == 2) })
    let span = try #require(TimeSpan(start: anchors[0], end: Timestamp(microseconds: .max)))
    let curves = RecordedCurves(in: span, rates: [], heartbeats: [series], gaps: [])
    #expect(curves.intervals.map { $0.map(\.value) } == [[1000], [1000]] && curves.pairs.isEmpty)
  }

  @Test("what is outside of the time is left out, and gaps are cut to it")
  func span() throws {
    let curves = try curves(
      [rate(-1), rate(0), rate(5), rate(6)], gaps: [gap(-5, 0.5), gap(4, 9), gap(10, 11)], to: 5)
    #expect(ends(curves) == [[0, 0], [5, 5]])
    #expect(curves.gaps.map { [$0.start, $0.end] } == [[time(0), time(0.5)], [time(4), time(5)]])
  }

  @Test("intervals stand at the beats that end them, in a stretch as long as they follow each other")
  func intervals() throws {
    let beats = [
      Heartbeat(rrTicks: 1_000, precededByGap: true, flags: .firstOfRun), Heartbeat(rrTicks: 1_024),
      Heartbeat(rrTicks: 512), Heartbeat(rrTicks: 2_048, precededByGap: true, flags: .missed),
      Heartbeat(rrTicks: 1_024),
    ]
    let series = try HeartbeatSeries(
      timescale: 1_024, runs: [.init(beats: 0..<5, map: AffineTimeMap(anchor: start))], beats: beats)
    let curves = try curves([], [series])
    #expect(
      curves.intervals == [
        [.init(time: time(1), value: 1_000), .init(time: time(1.5), value: 500)],
        [.init(time: time(4.5), value: 1_000)],
      ])
    #expect(curves.pairs == [.init(first: 1_000, second: 500)])
    #expect(curves.doubts.map(\.reason) == [.firstOfRun, .missed] && curves.doubts[1].time == time(3.5))
  }

  @Test("an interval whose predecessor is outside of the time begins a stretch")
  func cutIntervals() throws {
    let series = try HeartbeatSeries(
      timescale: 1_024, runs: [.init(beats: 0..<5, map: AffineTimeMap(anchor: time(-2)))],
      beats: [Heartbeat(rrTicks: 1_024, flags: .firstOfRun)] + (1..<5).map { _ in Heartbeat(rrTicks: 1_024) })
    let curves = try curves([], [series], to: 1.5)
    #expect(curves.intervals.map(\.count) == [2] && curves.pairs.count == 1 && curves.doubts.isEmpty)
  }

  @Test("the series of several sessions follow each other without a line between them")
  func sessions() throws {
    let recorded = try SampleSession.recorded()
    let later = try HeartbeatSeries(
      timescale: 1_024, runs: [.init(beats: 0..<2, map: AffineTimeMap(anchor: time(50)))],
      beats: [Heartbeat(rrTicks: 1_024, flags: .firstOfRun), Heartbeat(rrTicks: 1_024)])
    let curves = try curves([], [recorded.heartbeats, later])
    #expect(curves.intervals.map(\.count) == [1, 1] && curves.pairs.isEmpty && curves.records.count == 2)
  }
}
