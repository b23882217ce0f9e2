import Documents
import RecordingSamples
import HealthModel
import SeriesStore
import Support
import Testing

@testable import sensord

@Suite("Sessions shown")
struct SessionListingTests {
  @Test("a session that is still open is marked")
  func open() throws {
    let session = SessionSummary(try SampleSession.recorded(endReason: ""))
    #expect(SessionSummary.table([session], columns: 80).contains("0:21+"))
    #expect(SessionSummary.table([session], columns: 80).hasSuffix("\n+ still recording\n"))
  }

  @Test("a session in full ends with its quality report and its runs")
  func report() throws {
    let recorded = try SampleSession.recorded()
    let report = SessionReport(
      session: SessionSummary(recorded), heartbeats: recorded.heartbeats, gaps: recorded.gaps)
    let text = report.text(columns: 80)
    #expect(text.contains("Beats     3 in 2 runs, 1 gap, coverage 12.5 to 25.0 %"))
    #expect(text.contains("Gaps      1 link (18 s, about 18 beats lost)\n"))
    #expect(text.contains("Rate      2 values, average 62.5, 61 to 64 beats a minute"))
    #expect(text.contains("about 18  link: timeout"))
    #expect(
      text.contains("\nHRV       SDNN 12.5 ms\n          RMSSD, pNN50 not given: 60 s are needed, there are 21\n"))
    #expect(text.split(separator: "\n").allSatisfy { PrintableText.width(of: String($0)) <= 80 })
  }

  @Test("where no figure of variability is given the reason stands in its place, without a beat nothing")
  func refusedVariability() throws {
    var recorded = try SampleSession.recorded()
    recorded.variability = HeartRateVariabilitySummary()
    let report = SessionReport(
      session: SessionSummary(recorded), heartbeats: recorded.heartbeats, gaps: recorded.gaps)
    #expect(report.text(columns: 80).contains("\nHRV       not given: 60 s are needed, there are 21\n"))
    let empty = SessionReport(session: SessionSummary(recorded), heartbeats: HeartbeatSeries(), gaps: [])
    #expect(!empty.text(columns: 80).contains("HRV") && empty.json.text.contains(#""hrvRefused":{}"#))
  }

  /// An armband that sends no intervals.
  static func ratesOnly() throws -> RecordedSession {
    var recorded = try SampleSession.recorded()
    recorded.heartbeats = HeartbeatSeries()
    recorded.variability = HeartRateVariabilitySummary()
    recorded.coverage = Coverage(floor: 0.5, ceiling: 0.5)
    return recorded
  }

  @Test("a session without beats has its gaps and its coverage all the same")
  func withoutBeats() throws {
    let recorded = try Self.ratesOnly()
    let session = SessionSummary(recorded)
    #expect(
      JSONValue.object(session.members(isDoubtful: false)).text.contains(
        #""heartbeats":{"count":0,"gaps":0,"runs":0,"leftOut":0,"habit":null,"coverage":{"floor":0.5,"ceiling":0.5}},"gaps":1,"#
      ))
    #expect(SessionSummary.table([session], columns: 80).contains("61-64      0     1\n"))
    let report = SessionReport(session: session, heartbeats: recorded.heartbeats, gaps: recorded.gaps)
    let text = report.text(columns: 80)
    #expect(
      text.contains("Rate      2 values, average 62.5, 61 to 64 beats a minute, coverage 50.0 %\nBeats     none\n"))
    #expect(text.contains("Gaps      1 link (18 s, about 18 beats lost)\n"))
    #expect(text.contains("about 18  link: timeout"))
    #expect(report.json.text.contains(#""gapsByCause":{"link":{"count":1,"#))
  }

  @Test("what was said of a session is a table, and its texts steer no terminal")
  func metadata() throws {
    var recorded = try Self.ratesOnly()
    recorded.metadata = ["title": "Hot \u{1B}[31mdogs", "level": 2]
    let report = SessionReport(
      session: SessionSummary(recorded), heartbeats: recorded.heartbeats, gaps: recorded.gaps)
    let text = report.text(columns: 80)
    #expect(text.contains("\nMetadata  Value\nlevel     2\ntitle     Hot") && !text.contains("\u{1B}"))
  }

  @Test("that a sensor invents its intervals is a line in the list, the session and its variability, and a key in JSON")
  func inventedIntervals() throws {
    var recorded = try Self.ratesOnly()
    let told = VariabilityRefusal.noBeats(.invented).description
    #expect(!SessionSummary.table([SessionSummary(recorded)], columns: 80).contains(told))
    (recorded.quality.leftOutIntervals, recorded.quality.intervalHabit) = (3_600, .invented)
    let session = SessionSummary(recorded)
    let json = JSONValue.object(session.members(isDoubtful: false)).text
    #expect(json.contains(#""runs":0,"leftOut":3600,"habit":"invented","#))
    let table = SessionSummary.table([session], columns: 80)
    #expect(table.contains("61-64     0*     1\n") && table.hasSuffix("\n* no beats: \(told)\n"))

    let report = SessionReport(session: session, heartbeats: recorded.heartbeats, gaps: recorded.gaps)
    let text = report.text(columns: 80)
    #expect(text.contains("\nIntervals 3600 left out (invented): rates only, no beats\n"))
    #expect(text.contains("\nHRV       not given: \(told)\n"))
    #expect(report.json.text.contains(#""hrvRefused":{"sdnnMilliseconds":"\#(told)","#))
    #expect(report.json.text.contains(#""leftOutIntervals":3600"#))

    let span = try #require(TimeSpan(start: recorded.start, end: recorded.end))
    for window in [nil, 5_000_000] as [Int64?] {
      let listing = VariabilityListing(
        session: session, span: span, windowMicroseconds: window,
        reports: try VariabilityReport.reports(
          NNIntervals(recorded.heartbeats), in: span, windowMicroseconds: window, refusal: session.variabilityRefusal))
      #expect(listing.text(columns: 80).hasSuffix("\nHRV       not given: \(told)\n"))
      #expect(listing.json.text.contains(#""meanNN":{"value":null,"unit":"ms","refused":"\#(told)"}"#))
    }
  }

  @Test("surplus beats and the gaps around them have their own word")
  func surplus() throws {
    var recorded = try SampleSession.recorded()
    recorded.heartbeats = try HeartbeatSeries(
      timescale: 1_024,
      runs: [0, 1, 2].map {
        .init(
          beats: $0..<($0 + 1), map: AffineTimeMap(anchor: recorded.start.advanced(byMicroseconds: Int64($0) * 500_000))
        )
      },
      beats: [[], Heartbeat.Flags.surplus, []].map { Heartbeat(rrTicks: 1_000, flags: $0.union(.firstOfRun)) })
    recorded.gaps[0].reason = "surplus"
    recorded.gaps[0].detail = nil
    let report = SessionReport(
      session: SessionSummary(recorded), heartbeats: recorded.heartbeats, gaps: recorded.gaps)
    let text = report.text(columns: 80)
    #expect(text.contains("Gaps      1 surplus (18 s, about 18 beats lost)\n") && text.contains("about 18  surplus\n"))
    #expect(text.contains("Flags     1 surplus\n"))
    #expect(report.json.text.contains(#""artefacts":{"surplus":1},"gapsByCause":{"surplus":"#))
  }

  @Test("artefacts are shown by kind")
  func kinds() throws {
    let recorded = try SampleSession.withArtefacts()
    let report = SessionReport(
      session: SessionSummary(recorded), heartbeats: recorded.heartbeats, gaps: recorded.gaps)
    #expect(report.text(columns: 80).contains("Flags     3 ectopic, 3 rateConflict\n"))
  }

  @Test(
    "a rhythm that alternates is told, in words and in JSON; an even one is not", arguments: [1_000, 600] as [UInt32])
  func rhythm(every: UInt32) throws {
    var recorded = try SampleSession.recorded()
    let beats = (0..<200).map { Heartbeat(rrTicks: $0 % 2 == 0 ? 1_010 : every, flags: $0 == 0 ? .firstOfRun : []) }
    recorded.heartbeats = try HeartbeatSeries(
      timescale: 1_024, runs: [.init(beats: 0..<200, map: AffineTimeMap(anchor: recorded.start))], beats: beats)
    let session = SessionSummary(recorded)
    let report = SessionReport(session: session, heartbeats: recorded.heartbeats, gaps: recorded.gaps)
    let warning = "Rhythm    probably not sinus: RMSSD is 51 % of the mean interval, over 15 %"
    #expect(report.text(columns: 80).contains(warning) == (every == 600))
    #expect(report.json.text.contains(#""sinusLimit":0.15,"doubtful":\#(every == 600)}"#))

    let span = try #require(
      TimeSpan(start: recorded.start, end: recorded.start.advanced(byMicroseconds: 200_000_000)))
    let intervals = NNIntervals(recorded.heartbeats)
    for window in [nil, 60_000_000] as [Int64?] {
      let listing = VariabilityListing(
        session: session, span: span, windowMicroseconds: window,
        reports: try VariabilityReport.reports(intervals, in: span, windowMicroseconds: window))
      let text = listing.text(columns: 80)
      #expect(text.contains("probably not sinus: RMSSD is") == (every == 600))
      #expect(listing.json.text.contains(#""doubtful":true"#) == (every == 600))
      #expect(text.split(separator: "\n").allSatisfy { PrintableText.width(of: String($0)) <= 80 })
    }
  }

  private func facts(_ report: Metadata) -> [(label: String, text: String)] {
    QualityFacts(QualityReport(report)).lines
  }

  @Test("quality is told in words and fitting units, and only what is worth telling")
  func quality() {
    let told = facts([
      "notifications": 600, "linkLosses": 2, "lostValues": 0, "zeroRates": 0, "payloadDefect.empty": 3,
      "latencyMedianMicroseconds": 2_019_633, "latency95Microseconds": 2_560_159,
      "latencyGreatestMicroseconds": 3_101_429, "driftPartsPerMillion": 0.0, "releaseDepthBeats": 2.0,
      "releaseDepthErrorBeats": 0.056, "batteryStartPercent": 90, "batteryEndPercent": 87, "bodySensorLocation": 1,
      "signalWeakestDBm": -71, "signalStrongestDBm": -60, "clockStep.1": .time(Timestamp(microseconds: 0)),
      "clockStep.1.microseconds": 1_500, "somethingNew": 1, "stalledMicroseconds": 60_020_000, "earlyPackets": 7,
    ]).filter { $0.label != "Clock set" }.map { "\($0.label): \($0.text)" }
    #expect(
      told == [
        "Received: 600 notifications, 2 link losses, 7 packets early, 3 empty",
        "Stalled: 60.0 s: the recorder did not run",
        "Latency: 2019.6 ms in half of all packets, 2560.2 ms in 95 %, 3101.4 ms at most",
        "Release: 2.00 ± 0.06 beats late", "Battery: 90 to 87 %", "Signal: -71 to -60 dBm", "Worn on: chest",
      ])
    #expect(facts([:]).isEmpty)
    #expect(
      facts([
        "latencyMedianMicroseconds": 9_900_000, "latency95Microseconds": 19_999_000,
        "latencyGreatestMicroseconds": 60_312_000,
      ]).map(\.text) == ["9900.0 ms in half of all packets, 20.0 s in 95 %, 60.3 s at most"])
    #expect(facts(["bodySensorLocation": 250]).map(\.text) == ["unknown place 250"])
  }

  @Test("the list fits 80 columns, whatever a sensor calls itself")
  func narrow() throws {
    let session = SessionSummary(try SampleSession.recorded(name: String(repeating: "心\u{1B}", count: 124)))
    let table = SessionSummary.table([session], columns: 80)
    #expect(table.split(separator: "\n").allSatisfy { PrintableText.width(of: String($0)) <= 80 })
    #expect(!table.contains("\u{1B}"))
  }

  @Test("lost beats are not counted where nobody knows them, and are a lower bound where some are not known")
  func unknownLoss() throws {
    func line(_ lost: [Double?]) throws -> String? {
      var recorded = try SampleSession.recorded()
      let gap = recorded.gaps[0]
      recorded.gaps = lost.map {
        RecordingGap(reason: gap.reason, start: gap.start, end: gap.end, estimatedLostBeats: $0)
      }
      let report = SessionReport(
        session: SessionSummary(recorded), heartbeats: recorded.heartbeats, gaps: recorded.gaps)
      return report.text(columns: 80).split(separator: "\n").first { $0.hasPrefix("Gaps ") }.map(String.init)
    }
    #expect(try line([nil]) == "Gaps      1 link (18 s)")
    #expect(try line([18, nil]) == "Gaps      2 link (36 s, at least about 18 beats lost)")
    #expect(try line([0]) == "Gaps      1 link (18 s, about 0 beats lost)")
  }
}
