import Captures
import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing
import Timeline

@testable import Ingestion

/// What stores hold of files of others is judged by `replay --rebuild`.
@Suite("Judging imported sessions anew")
struct ImportedRebuildTests {
  private let folder = TemporaryFolder()

  /// A session as an earlier version imported it: beats with a missed one among them, and no flags but these.
  private func imported(flagged: Heartbeat.Flags = []) throws -> RecordedSession {
    var generator = SeededGenerator(seed: 1)
    var builder = HeartbeatSeriesBuilder(timescale: 1000)
    let start = Timestamp(microseconds: 1_790_000_000_000_000)
    try builder.beginRun(AffineTimeMap(anchor: start))
    try builder.add(rrTicks: 0, flags: .firstOfRun)
    var end = start
    for beat in 1...400 {
      let interval = beat == 200 ? 1800 : Int.random(in: 880...920, using: &generator)
      try builder.add(rrTicks: UInt32(interval), flags: beat == 100 ? flagged : [])
      end = end.advanced(byMicroseconds: Int64(interval) * 1000)
    }
    return RecordedSession(
      id: UUID(), syncVersion: 401, device: Device(name: "Watch"),
      source: SourceRevision(identifier: "com.example.watch", name: "watch"),
      start: start, end: end, endReason: "imported", metadata: ["importedFormat": "fit"],
      rates: [HeartRateValue(time: start, beatsPerMinute: 66), HeartRateValue(time: end, beatsPerMinute: 67)],
      heartbeats: try builder.finish(), gaps: [RecordingGap(reason: "stopped", start: end, end: end)],
      markers: [SessionMarker(time: end, text: "lap")],
      variability: HeartRateVariabilitySummary(rmssdMilliseconds: 70))
  }

  private func rebuild(_ session: RecordedSession) async throws -> (store: HealthStore, outcome: Rebuild.Outcome) {
    let store = try HealthStore.open(folder.path + "/sensord.sqlite", for: .recording)
    _ = try await store.commit(session)
    let outcome = try await renew(session.id, in: store)
    return (store, outcome)
  }

  private func renew(_ session: UUID, in store: HealthStore) async throws -> Rebuild.Outcome {
    let archive = CaptureArchive(directory: folder.path + "/captures", maximumAgeSeconds: nil, maximumBytes: nil)
    let rebuild = try Rebuild(in: store, from: archive, version: "test", eventRules: HeartEventRules())
    return try await rebuild.renew(try await store.session(session.uuidString))
  }

  @Test("flags and variability are those of today, as a later version; intervals, times and gaps stay")
  func judged() async throws {
    let session = try imported()
    let (store, outcome) = try await rebuild(session)
    #expect(outcome == .renewed(from: 0, beats: 401, gaps: 1))
    let beats = try await store.beats(of: session.id)
    #expect(beats.beats.indices.filter { beats.beats[$0].flags.contains(.missed) } == [200])
    #expect(beats.beats.map(\.rrTicks) == session.heartbeats.beats.map(\.rrTicks))
    #expect(beats.runs == session.heartbeats.runs && beats.timescale == 1000)
    #expect(try await store.gaps(of: session.id) == session.gaps)
    #expect(try await store.rates(of: session.id) == session.rates)
    #expect(try await store.markers(of: session.id) == session.markers)
    let summary = try await store.session(session.id.uuidString)
    #expect(summary.syncVersion == 402 && summary.metadata == session.metadata)
    #expect(summary.quality.algorithmVersion == Rebuild.algorithmVersion)
    #expect(try #require(summary.variability.rmssdMilliseconds) < 30)
    #expect(try await renew(session.id, in: store) == .current)
    #expect(try await store.commit(session) == .unchanged, "the same file once more")
    try await store.delete(session.id)
    #expect(try await store.commit(session) == .deletedBefore)
  }

  @Test("flags that a file brought stay")
  func ownFlags() async throws {
    let session = try imported(flagged: .ectopic)
    let (store, outcome) = try await rebuild(session)
    #expect(outcome == .current)
    #expect(try await store.beats(of: session.id) == session.heartbeats)
  }
}
