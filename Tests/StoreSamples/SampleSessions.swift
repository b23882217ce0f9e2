public import FoundationEssentials
public import HealthModel
public import SeriesStore
import TestSupport

/// Sessions in a store, for tests of packages that have only the library's public part: made from a seed, saved and deleted as the
/// recorder does it.
public enum SampleSessions {
  /// Saves a session of so many beats at about 75 a minute; a greater version replaces it.
  public static func save(
    _ id: UUID, version: Int64 = 1, seed: UInt64 = 1, beats: Int = 200, start: Timestamp, sensor: String,
    returning: Bool = false, into store: HealthStore
  ) async throws {
    let session = try session(id, version: version, seed: seed, beats: beats, start: start, sensor: sensor)
    _ = try await store.commit(session, restore: returning)
  }

  /// Deletes a session.
  public static func delete(_ id: UUID, from store: HealthStore) async throws { try await store.delete(id) }

  // Swift 6.3's optimizer crashes where this is inlined into an asynchronous function.
  @inline(never)
  private static func session(
    _ id: UUID, version: Int64, seed: UInt64, beats: Int, start: Timestamp, sensor: String
  ) throws -> RecordedSession {
    var random = SeededGenerator(seed: seed)
    var rates: [HeartRateValue] = []
    var builder = HeartbeatSeriesBuilder()
    try builder.beginRun(AffineTimeMap(anchor: start, uncertaintyMicroseconds: 12_000))
    for index in 0..<beats {
      rates.append(
        HeartRateValue(
          time: start.advanced(byMicroseconds: Int64(index) * 800_000).flooredToMilliseconds,
          beatsPerMinute: UInt16(70 + Int.random(in: 0...10, using: &random)), contact: .detected, energyKilojoules: nil
        ))
      try builder.add(
        rrTicks: UInt32(800 + Int.random(in: 0...40, using: &random)), precededByGap: index == beats / 2,
        flags: index == 0 ? .firstOfRun : [])
    }
    let series = try builder.finish()
    let end = start.advanced(byMicroseconds: Int64(beats) * 1_000_000)
    return RecordedSession(
      id: id, syncVersion: version,
      device: Device(name: "Strap", manufacturer: "Polar", localIdentifier: sensor),
      source: SourceRevision(identifier: "sensord", name: "sensord", version: "0.1.0"), start: start, end: end,
      endReason: "shutdown", metadata: ["note": "of a test"], rates: rates, heartbeats: series,
      gaps: [
        RecordingGap(
          reason: "link", detail: "timeout", start: start, end: start.advanced(byMicroseconds: 900_000),
          estimatedLostBeats: 1.5)
      ], coverage: Coverage(floor: 0.96875, ceiling: 1),
      variability: HeartRateVariabilitySummary(sdnnMilliseconds: 51.5, rmssdMilliseconds: 42.25, pnn50: 12.5),
      quality: QualityReport(["junk": 3]))
  }
}
