import FoundationEssentials
import HealthModel
import TestSupport

/// A session made from a seed, with some of everything; on request its last beats are after its end.
func makeSession(
  id: UUID = UUID(), version: Int64 = 1, seed: UInt64 = 1, beats count: Int = 200,
  start: Timestamp = Timestamp(microseconds: 1_714_920_600_436_237), endsEarly: Bool = false
) throws -> RecordedSession {
  var random = SeededGenerator(seed: seed)
  var rates: [HeartRateValue] = []
  var time = start
  for index in 0..<count {
    rates.append(
      HeartRateValue(
        time: time.flooredToMilliseconds, beatsPerMinute: UInt16(60 + Int.random(in: 0...40, using: &random)),
        contact: index < count / 2 ? .detected : .notDetected, energyKilojoules: index % 10 == 0 ? UInt16(index) : nil))
    time = time.advanced(byMicroseconds: Int64.random(in: 0...2_000_000, using: &random))
  }
  var builder = HeartbeatSeriesBuilder()
  try builder.beginRun(AffineTimeMap(anchor: start, slopePartsPerBillion: 9_500, uncertaintyMicroseconds: 12_000))
  for index in 0..<count {
    if index == count / 2 {
      try builder.beginRun(
        AffineTimeMap(anchor: start.advanced(byMicroseconds: Int64(count) * 1_000_000)), firstTick: 77)
    }
    try builder.add(
      rrTicks: UInt32(700 + Int.random(in: 0...200, using: &random)), precededByGap: index == count / 2,
      flags: index == 0 || index == count / 2 ? .firstOfRun : [])
  }
  let series = try builder.finish()
  return RecordedSession(
    id: id, syncVersion: version,
    device: Device(name: "H10", manufacturer: "Polar", localIdentifier: "C0:FF:EE:00:00:01"),
    source: SourceRevision(identifier: "sensord", name: "sensord", version: "0.1.0"), start: start,
    end: endsEarly ? time : max(time, series.bounds?.end ?? time),
    endReason: "shutdown",
    metadata: ["game": "Breath of the Wild", "level": 7, "hard": true, "ratio": 0.5, "begun": .time(start)],
    rates: rates, heartbeats: series,
    gaps: [
      RecordingGap(
        reason: "link", detail: "timeout", start: start, end: start.advanced(byMicroseconds: 9), estimatedLostBeats: 2.5
      )
    ], coverage: Coverage(floor: 0.96875, ceiling: 1),
    variability: HeartRateVariabilitySummary(sdnnMilliseconds: 51.5, rmssdMilliseconds: 42.25, pnn50: 12.5),
    quality: QualityReport(["junk": 3, "batteryStart": .quantity(Quantity(80, .percent))]))
}
