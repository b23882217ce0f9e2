import FoundationEssentials
public import HealthModel

/// A made-up session as a recorder saves it.
public enum SampleSession {
  /// Three beats in two runs with a gap between them, and two rates.
  public static func recorded(endReason: String = "shutdown", name: String? = "Strap") throws -> RecordedSession {
    let start = Timestamp(microseconds: 1_795_226_888_000_000)
    let series = try HeartbeatSeries(
      timescale: 1_024,
      runs: [
        .init(beats: 0..<2, map: AffineTimeMap(anchor: start, uncertaintyMicroseconds: 12_500)),
        .init(beats: 2..<3, map: AffineTimeMap(anchor: start.advanced(byMicroseconds: 20_000_000))),
      ],
      beats: [
        Heartbeat(rrTicks: 1_000, precededByGap: true, flags: .firstOfRun), Heartbeat(rrTicks: 1_024),
        Heartbeat(rrTicks: 1_000, precededByGap: true, flags: .firstOfRun),
      ])
    return RecordedSession(
      id: UUID(uuidString: "3F2A91BC-1111-4222-8333-444444444444")!, syncVersion: 3,
      device: Device(name: name, localIdentifier: "C0:FF:EE:00:00:01"),
      source: SourceRevision(identifier: "sensord", name: "sensord"), start: start,
      end: start.advanced(byMicroseconds: 21_000_000), endReason: endReason,
      rates: [
        HeartRateValue(time: start, beatsPerMinute: 61),
        HeartRateValue(time: start.advanced(byMicroseconds: 1_000_000), beatsPerMinute: 64),
      ],
      heartbeats: series,
      gaps: [
        RecordingGap(
          reason: "link", detail: "timeout", start: start.advanced(byMicroseconds: 1_000_000),
          end: start.advanced(byMicroseconds: 19_000_000), estimatedLostBeats: 18)
      ],
      coverage: Coverage(floor: 0.125, ceiling: 0.25),
      variability: HeartRateVariabilitySummary(sdnnMilliseconds: 12.5),
      quality: QualityReport(["notifications": 3, "junk": 0]))
  }

  /// Forty beats in one run; three of them are ectopic and contradict the sensor's rate.
  public static func withArtefacts() throws -> RecordedSession {
    var recorded = try recorded()
    let beats = (0..<40).map { index -> Heartbeat in
      let flags: Heartbeat.Flags = index == 0 ? .firstOfRun : index % 10 == 0 ? [.ectopic, .rateConflict] : []
      return Heartbeat(rrTicks: 1_000, flags: flags)
    }
    recorded.heartbeats = try HeartbeatSeries(
      timescale: 1_024, runs: [.init(beats: 0..<40, map: AffineTimeMap(anchor: recorded.start))], beats: beats)
    return recorded
  }
}
