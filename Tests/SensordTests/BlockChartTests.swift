import Documents
import HealthModel
import RecordingSamples
import Testing

@testable import sensord

@Suite("Tachogram on a terminal")
struct BlockChartTests {
  private let start = Timestamp(microseconds: 1_795_226_888_000_000)

  /// Twenty seconds of one beat a second, of which the middle is missing.
  private func curves(rates: [HeartRateValue] = []) throws -> RecordedCurves {
    let ticks: [UInt32] = [1_024, 1_024, 1_024, 1_024, 1_536]
    let beats = (0..<2).flatMap { _ in ticks.map { Heartbeat(rrTicks: $0) } }
    let later = start.advanced(byMicroseconds: 12_000_000)
    let series = try HeartbeatSeries(
      timescale: 1_024,
      runs: [
        .init(beats: 0..<5, map: AffineTimeMap(anchor: start)), .init(beats: 5..<10, map: AffineTimeMap(anchor: later)),
      ], beats: beats)
    return RecordedCurves(
      in: try #require(TimeSpan(start: start, end: start.advanced(byMicroseconds: 20_000_000))), rates: rates,
      heartbeats: [series],
      gaps: [
        RecordingGap(reason: "link", start: start.advanced(byMicroseconds: 6_000_000), end: later)
      ])
  }

  @Test("each column goes from the smallest to the greatest interval of its time; a gap is blank and dotted")
  func picture() throws {
    let (from, to) = (LocalTime.timeOfDay(start.microseconds), LocalTime.timeOfDay(start.microseconds + 20_000_000))
    #expect(
      BlockChart(try curves()).text(columns: 26) == """
        RR intervals in ms, smallest to greatest of 1.0 s a column
        1500 ┤    ▀           ▀
             │
             │
             │
             │
             │
             │
        1000 ┤ ▄▄▄         ▄▄▄
             └──────·······───────
              \(from)    \(to)
        ··· gaps; 2 intervals after gaps or with flags are not drawn

        """)
  }

  @Test("without intervals it shows the rates, and says so")
  func rates() throws {
    let rates = (0..<3).map {
      HeartRateValue(
        time: start.advanced(byMicroseconds: Int64($0) * 5_000_000), beatsPerMinute: UInt16(60 + 10 * $0))
    }
    let recorded = RecordedCurves(in: try curves().span, rates: rates, heartbeats: [], gaps: [])
    let lines = BlockChart(recorded).text(columns: 80).split(separator: "\n")
    #expect(lines[0].hasPrefix("Heart rate in beats a minute (no RR intervals), smallest to greatest of"))
    #expect(lines[1].hasPrefix("80 ┤") && lines[8].hasPrefix("60 ┤") && lines.count == 11)
  }

  @Test("no line is wider than the terminal", arguments: [30, 80, 132])
  func width(columns: Int) throws {
    let lines = BlockChart(try curves()).text(columns: columns).split(separator: "\n").dropFirst().dropLast()
    #expect(lines.map(\.count).max() ?? 0 <= columns && lines.count == 10)
  }

  @Test("where nothing was recorded there is no picture")
  func empty() throws {
    let none = RecordedCurves(in: try curves().span, rates: [], heartbeats: [], gaps: [])
    #expect(BlockChart(none).text(columns: 80) == "")
  }

  @Test("equal values stand in one row")
  func level() throws {
    let rates = (0..<3).map {
      HeartRateValue(time: start.advanced(byMicroseconds: Int64($0) * 1_000_000), beatsPerMinute: 60)
    }
    let recorded = RecordedCurves(in: try curves().span, rates: rates, heartbeats: [], gaps: [])
    let lines = BlockChart(recorded).text(columns: 80).split(separator: "\n")
    #expect(lines.count { $0.contains("▄") || $0.contains("█") || $0.contains("▀") } == 1)
  }

  @Test("a sparkline ends with the newest value and is as wide as it may be")
  func sparkline() throws {
    let line = try #require(Sparkline([1, 800, nil, 1000, 900], columns: 4))
    #expect(line == Sparkline([800, nil, 1000, 900], columns: 9))
    #expect(line.text == "▁ █▄" && line.low == 800 && line.high == 1000 && line.count == 3)
    #expect(Sparkline([nil, nil], columns: 9) == nil && Sparkline([800], columns: 0) == nil)
    #expect(Sparkline([65_535, 0], columns: 9)?.text == "█▁")
  }
}
