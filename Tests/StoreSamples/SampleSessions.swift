public import FoundationEssentials
public import HealthModel
public import SeriesStore
import TestSupport

/// Sessions in a store, for tests of packages that have only the library's public part: made from a seed, saved and deleted as the
/// recorder does it.
public enum SampleSessions {
  /// Saves a session of so many beats at about 75 a minute, and as many rates; or with `rates`, one each second, and the beats in the
  /// same time. A greater version replaces it. With `text`, all its texts are that one.
  public static func save(
    _ id: UUID, version: Int64 = 1, seed: UInt64 = 1, beats: Int = 200, rates: Int? = nil, start: Timestamp,
    sensor: String, text: String? = nil, returning: Bool = false, into store: HealthStore
  ) async throws {
    let session = try session(
      id, version: version, seed: seed, beats: beats, rates: rates ?? beats, start: start, sensor: sensor, text: text)
    _ = try await store.commit(session, restore: returning)
  }

  /// Deletes a session.
  public static func delete(_ id: UUID, from store: HealthStore) async throws { try await store.delete(id) }

  // Swift 6.3's optimizer crashes where this is inlined into an asynchronous function.
  @inline(never)
  private static func session(
    _ id: UUID, version: Int64, seed: UInt64, beats: Int, rates count: Int, start: Timestamp, sensor: String,
    text: String?
  ) throws -> RecordedSession {
    var random = SeededGenerator(seed: seed)
    var rates: [HeartRateValue] = []
    var builder = HeartbeatSeriesBuilder()
    try builder.beginRun(AffineTimeMap(anchor: start, uncertaintyMicroseconds: 12_000))
    let (step, ticks): (Int64, UInt32) =
      count == beats ? (800_000, 800) : (1_000_000, UInt32(count * 1024 / max(1, beats)) - 20)
    for index in 0..<max(beats, count) {
      if index < count {
        rates.append(
          HeartRateValue(
            time: start.advanced(byMicroseconds: Int64(index) * step).flooredToMilliseconds,
            beatsPerMinute: UInt16(70 + Int.random(in: 0...10, using: &random)), contact: .detected,
            energyKilojoules: nil))
      }
      guard index < beats else { continue }
      try builder.add(
        rrTicks: ticks + UInt32(Int.random(in: 0...40, using: &random)), precededByGap: index == beats / 2,
        flags: index == 0 ? .firstOfRun : [])
    }
    let series = try builder.finish()
    let end = start.advanced(byMicroseconds: Int64(count == beats ? beats : count + 60) * 1_000_000)
    return RecordedSession(
      id: id, syncVersion: version,
      device: Device(name: text ?? "Strap", manufacturer: text ?? "Polar", localIdentifier: sensor),
      source: SourceRevision(identifier: "sensord", name: "sensord", version: "0.1.0"), start: start, end: end,
      endReason: "shutdown", metadata: [text ?? "note": .text(text ?? "of a test")], rates: rates, heartbeats: series,
      gaps: [
        RecordingGap(
          reason: "link", detail: text ?? "timeout", start: start, end: start.advanced(byMicroseconds: 900_000),
          estimatedLostBeats: 1.5)
      ], coverage: Coverage(floor: 0.96875, ceiling: 1),
      variability: HeartRateVariabilitySummary(sdnnMilliseconds: 51.5, rmssdMilliseconds: 42.25, pnn50: 12.5),
      quality: QualityReport(["junk": 3]))
  }
}
