import HealthModel
import Testing

@testable import Documents

@Suite("Exports")
struct ExportTests {
  private let anchor = Timestamp(microseconds: 1_795_226_888_000_000)

  @Test("beats are written with six digits, the run, the index, the ticks, the gap and the flags")
  func beats() throws {
    let series = try HeartbeatSeries(
      timescale: 1_024,
      runs: [
        .init(beats: 0..<2, map: AffineTimeMap(anchor: anchor)),
        .init(beats: 2..<3, map: AffineTimeMap(anchor: anchor.advanced(byMicroseconds: 20_000_001))),
      ],
      beats: [
        Heartbeat(rrTicks: 945, flags: .firstOfRun), Heartbeat(rrTicks: 512),
        Heartbeat(rrTicks: 2_500, precededByGap: true, flags: [.missed, .firstOfRun]),
      ])
    #expect(
      String(decoding: BeatsExport.csv(series), as: UTF8.self) == """
        time,run,index,rr_ticks,preceded_by_gap,flags
        2026-11-21T02:08:08.000000Z,0,0,945,0,firstOfRun
        2026-11-21T02:08:08.500000Z,0,1,512,0,
        2026-11-21T02:08:28.000001Z,1,0,2500,1,missed+firstOfRun

        """)
  }

  @Test("all flags are named, in the design's order")
  func flags() throws {
    let all = Heartbeat.Flags(rawValue: 0xFF)
    let series = try HeartbeatSeries(
      timescale: 1_024, runs: [.init(beats: 0..<1, map: AffineTimeMap(anchor: anchor))],
      beats: [Heartbeat(rrTicks: 1, flags: all)])
    let text = String(decoding: BeatsExport.csv(series), as: UTF8.self)
    #expect(text.hasSuffix(",0,missed+extra+ectopic+implausible+filler+rateConflict+firstOfRun+surplus\n"))
  }

  @Test("rates are written with three digits; unknown energy is empty")
  func rates() {
    let values = [
      HeartRateValue(time: anchor, beatsPerMinute: 62),
      HeartRateValue(time: anchor, beatsPerMinute: 300, contact: .detected, energyKilojoules: 0),
      HeartRateValue(
        time: anchor.advanced(byMicroseconds: 999_000), beatsPerMinute: 61, contact: .notDetected,
        energyKilojoules: 65_535),
    ]
    #expect(
      String(decoding: RatesExport.csv(values, gaps: []), as: UTF8.self) == """
        time,bpm,contact,energy_kj,preceded_by_gap
        2026-11-21T02:08:08.000Z,62,notSupported,,0
        2026-11-21T02:08:08.000Z,300,detected,0,0
        2026-11-21T02:08:08.999Z,61,notDetected,65535,0

        """)
  }

  @Test("the first rate at or after the end of a gap is preceded by it; stored rates are cut to milliseconds")
  func ratesAfterGaps() {
    let seconds = [0, 1, 60, 61, 62, 63] as [Int64]
    let values = seconds.map {
      HeartRateValue(time: anchor.advanced(byMicroseconds: $0 * 1_000_000), beatsPerMinute: 60)
    }
    let gaps = [(1_000_000, 60_000_999), (61_100_000, 61_200_000), (61_300_000, 61_900_000), (62_999_999, 70_000_000)]
      .map {
        RecordingGap(
          reason: "link", start: anchor.advanced(byMicroseconds: $0.0), end: anchor.advanced(byMicroseconds: $0.1))
      }
    let rows = String(decoding: RatesExport.csv(values, gaps: gaps), as: UTF8.self).split(separator: "\n").dropFirst()
    #expect(rows.map { $0.hasSuffix(",1") } == [false, false, true, false, true, false])
  }

  @Test("a session without values has the heading alone")
  func empty() {
    #expect(BeatsExport.csv(HeartbeatSeries()) == Array(BeatsExport.heading.utf8))
    #expect(RatesExport.csv([], gaps: []) == Array(RatesExport.heading.utf8))
  }
}
