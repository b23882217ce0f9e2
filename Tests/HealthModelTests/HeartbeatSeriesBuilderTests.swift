import HealthModel
import Testing

@Suite("HeartbeatSeriesBuilder")
struct HeartbeatSeriesBuilderTests {
  let start = Timestamp(microseconds: 1_700_000_000_000_000)

  func times(_ series: HeartbeatSeries) -> [Int64] {
    series.locatedBeats.map { $0.time.microseconds(since: start) }
  }

  @Test("beats at 0.50, 1.49, 2.49, 3.48, 4.45 s keep their times in a timescale of 1000")
  func golden() throws {
    var builder = HeartbeatSeriesBuilder(timescale: 1000)
    for ticks in [500, 1490, 2490, 3480, 4450] as [Int64] { try builder.add(atTicks: ticks, since: start) }
    let series = try builder.finish()
    #expect(times(series) == [500_000, 1_490_000, 2_490_000, 3_480_000, 4_450_000])
    #expect(series.beats.map(\.rrTicks) == [500, 990, 1000, 990, 970])
    #expect(series.gapCount == 0)
  }

  @Test("a beat that is not later than the one before is an error and loses nothing")
  func notIncreasing() throws {
    var builder = HeartbeatSeriesBuilder(timescale: 1000)
    try builder.add(atTicks: 500, since: start)
    #expect(throws: SeriesError.timeNotIncreasing(index: 1)) { try builder.add(atTicks: 500, since: start) }
    #expect(throws: SeriesError.timeNotIncreasing(index: 1)) { try builder.add(atTicks: -1, since: start) }
    let later = start.advanced(byMicroseconds: 1)
    #expect(throws: SeriesError.startDiffers(index: 1)) { try builder.add(atTicks: 501, since: later) }
    try builder.add(atTicks: 501, since: start, precededByGap: true)
    let series = try builder.finish()
    #expect(series.beats.count == 2)
    #expect(series.gapCount == 1)
  }

  @Test("an empty builder does not finish; after finish and after discard every call is an error")
  func lifeCycle() throws {
    var builder = HeartbeatSeriesBuilder()
    #expect(throws: SeriesError.empty) { try builder.finish() }
    try builder.add(atTicks: 1, since: start)
    _ = try builder.finish()
    #expect(throws: SeriesError.finished) { try builder.add(atTicks: 2, since: start) }
    #expect(throws: SeriesError.finished) { try builder.finish() }
    var other = HeartbeatSeriesBuilder()
    try other.discard()
    #expect(throws: SeriesError.finished) { try other.beginRun(AffineTimeMap(anchor: start)) }
    #expect(throws: SeriesError.finished) { try other.discard() }
  }

  @Test("a time off the map is kept as the beat's offset")
  func offset() throws {
    var builder = HeartbeatSeriesBuilder()
    try builder.beginRun(AffineTimeMap(anchor: start))
    try builder.add(rrTicks: 900, flags: .firstOfRun)
    try builder.add(rrTicks: 1024, at: start.advanced(byMicroseconds: 999_000))
    let series = try builder.finish()
    #expect(times(series) == [0, 999_000])
    #expect(series.beats[1].offsetMicroseconds == -1000)
  }

  @Test("runs follow each other in time, empty ones are dropped, a beat without a run is an error")
  func runs() throws {
    var builder = HeartbeatSeriesBuilder()
    #expect(throws: SeriesError.runsDoNotCoverBeats) { try builder.add(rrTicks: 1) }
    try builder.beginRun(AffineTimeMap(anchor: start))
    try builder.beginRun(AffineTimeMap(anchor: start), firstTick: 512)
    try builder.add(rrTicks: 512)
    try builder.beginRun(AffineTimeMap(anchor: start))
    #expect(throws: SeriesError.timeNotIncreasing(index: 1)) { try builder.add(rrTicks: 512) }
    try builder.beginRun(AffineTimeMap(anchor: start.advanced(byMicroseconds: 9_000_000)))
    try builder.add(rrTicks: 700, precededByGap: true)
    try builder.beginRun(AffineTimeMap(anchor: start))
    let series = try builder.finish()
    #expect(series.runs.map(\.beats) == [0..<1, 1..<2])
    #expect(times(series) == [500_000, 9_000_000])
  }

  @Test("a series whose runs leave a beat out or whose times fall is refused")
  func checks() {
    let map = AffineTimeMap(anchor: start)
    let beats = [Heartbeat(rrTicks: 1), Heartbeat(rrTicks: 0)]
    #expect(throws: SeriesError.runsDoNotCoverBeats) {
      try HeartbeatSeries(timescale: 1024, runs: [.init(beats: 0..<1, map: map)], beats: beats)
    }
    #expect(throws: SeriesError.runsDoNotCoverBeats) {
      try HeartbeatSeries(timescale: 1024, runs: [.init(beats: 0..<3, map: map)], beats: beats)
    }
    #expect(throws: SeriesError.timeNotIncreasing(index: 1)) {
      try HeartbeatSeries(timescale: 1024, runs: [.init(beats: 0..<2, map: map)], beats: beats)
    }
    #expect(throws: SeriesError.invalidTimescale(0)) { try HeartbeatSeries(timescale: 0, runs: [], beats: []) }
  }
}
