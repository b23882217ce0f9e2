import CSQLite
import FoundationEssentials
import Glibc
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Size of packed beats")
struct BlobSizeTests {
  /// The storage limits in bits a beat by the prequential code length of an adaptive mixture.
  static let limits: [(file: String, bits: Double)] = [
    ("rhenanbartels-hrv/08012805.txt", 5.20), ("rhenanbartels-hrv/exercise_rri.hrm", 5.66),
    ("rhenanbartels-hrv/noisy_rri.hrm", 7.02), ("pyhrv/SampleNNISeriesLong.npy", 7.76),
  ]

  private func bytes(_ path: String) -> [UInt8]? {
    guard let file = unsafe fopen(path, "r") else { return nil }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
  }

  /// The intervals of a file in milliseconds: one to a line, behind `[HRData]`, or eight bytes each behind a NumPy header.
  private func intervals(_ bytes: [UInt8], _ name: String) -> [Int] {
    guard name.hasSuffix(".npy") else {
      let text = String(decoding: bytes, as: UTF8.self)
      let words = text.split { $0.isWhitespace }
      let start = words.firstIndex(of: "[HRData]").map { $0 + 1 } ?? 0
      return words[start...].compactMap { Int($0) }
    }
    let start = 10 + Int(bytes[8]) + Int(bytes[9]) << 8
    return stride(from: start, to: bytes.count - 7, by: 8).map { (place: Int) -> Int in
      bytes[place..<place + 3].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
  }

  @Test("real series take at most 1.1 times their storage limit")
  func realSeries() throws {
    guard let folder = unsafe getenv("SENSORD_TEST_DATA").map({ unsafe String(cString: $0) }) else {
      print("left out: SENSORD_TEST_DATA is not set, so there are no real series to pack")
      return
    }
    for (name, limit) in Self.limits {
      let content = try #require(bytes("\(folder)/\(name)"))
      let ticks = intervals(content, name).map { Int((Double($0) * 1.024).rounded(.toNearestOrEven)) }
      let beats = ticks.filter { $0 > 256 && $0 < 3072 }.map { Heartbeat(rrTicks: UInt32($0)) }
      #expect(beats.count >= 2000)
      let size = HeartbeatChunk(beats[...]).encode().count
      let share = Double(size) * 8 / Double(beats.count) / limit
      print("\(name): \(beats.count) beats, \(size) bytes, \(share) of the limit")
      #expect(share <= 1.1)
    }
  }

  /// An hour of an ordinary strap: one rate a second, up to 50 ms late, and the beats between.
  private func strapHour(_ number: Int) throws -> RecordedSession {
    var random = SeededGenerator(seed: UInt64(number))
    let start = Timestamp(milliseconds: 1_714_920_600_436 + Int64(number) * 86_400_000)
    var rates: [HeartRateValue] = []
    var builder = HeartbeatSeriesBuilder()
    try builder.beginRun(AffineTimeMap(anchor: start))
    var rate = 70.0
    var beat = 0.0
    for second in 1...3600 {
      rate = max(50, min(180, rate + Double.random(in: -0.6...0.6, using: &random)))
      let late = Int64.random(in: 0...3, using: &random) * 15 + Int64.random(in: 0...5, using: &random)
      rates.append(
        HeartRateValue(
          time: start.advanced(byMicroseconds: (Int64(second) * 1000 + late) * 1000), beatsPerMinute: UInt16(rate),
          contact: .detected))
      while beat < Double(second) {
        let interval = 60 / rate + 0.02 * sin(beat * 1.6) + Double.random(in: -0.02...0.02, using: &random)
        beat += interval
        try builder.add(rrTicks: UInt32(interval * 1024))
      }
    }
    return RecordedSession(
      id: UUID(), syncVersion: 3600, device: Device(name: "strap", localIdentifier: "C0:FF:EE:00:00:01"),
      source: SourceRevision(identifier: "sensord", name: "sensord", version: "0.1.0"), start: start,
      end: start.advanced(byMicroseconds: 3_601_000_000), endReason: "request", rates: rates,
      heartbeats: try builder.finish(),
      gaps: [RecordingGap(reason: "link", detail: "timeout", start: start, end: start, estimatedLostBeats: 2.5)],
      coverage: Coverage(floor: 0.9875, ceiling: 0.996),
      variability: HeartRateVariabilitySummary(
        sdnnMilliseconds: 41.5 + Double(number) / 7, rmssdMilliseconds: 23 + Double(number) / 9, pnn50: 4.125),
      quality: QualityReport(Self.quality))
  }

  /// What a recorder usually has to say of an hour.
  private static let quality: Metadata = [
    "algorithmVersion": 5, "notifications": 3600, "linkLosses": 1, "releaseDepthBeats": 1.25,
    "releaseDepthErrorBeats": 0.125, "driftPartsPerMillion": -11.734375, "driftErrorPartsPerMillion": 3.21875,
    "latencyMedianMicroseconds": 224_117, "latency95Microseconds": 487_342, "latencyGreatestMicroseconds": 1_873_211,
    "earlyPackets": 12, "batteryStartPercent": 80, "batteryEndPercent": 78, "bodySensorLocation": "chest",
    "signalWeakestDBm": -71, "signalStrongestDBm": -58,
  ]

  @Test("200 sessions of a strap grow the closed file by at most 1.1 times their blobs and 2.5 KB a session")
  func growth() async throws {
    let folder = TemporaryFolder()
    let store = try HealthStore.open(folder.store, for: .writing)
    await store.close()
    let before = folder.bytes(of: "store.sqlite").count
    let writer = try HealthStore.open(folder.store, for: .writing)
    let sessions = 200
    var beats = 0
    for number in 0..<sessions {
      let session = try strapHour(number)
      beats += session.heartbeats.beats.count
      _ = try await writer.commit(session)
    }
    await writer.close()
    let growth = folder.bytes(of: "store.sqlite").count - before
    let connection = try Connection(folder.store, flags: SQLITE_OPEN_READONLY)
    let blobs = Int(try connection.integer("SELECT sum(length(payload)) FROM chunks"))
    let beatBlobs = Int(
      try connection.integer("SELECT sum(length(payload)) FROM chunks WHERE substr(payload, 5, 1) = x'21'"))
    print("growth \(growth) bytes by \(sessions) sessions with \(blobs) bytes of blobs")
    print("\(Double(beatBlobs) / Double(beats)) bytes a beat, \(Double(blobs - beatBlobs) / 720_000) bytes a rate")
    #expect(growth <= blobs + blobs / 10 + 2560 * sessions)
    #expect(Double(beatBlobs) <= 1.1 * Double(beats))
    #expect(Double(blobs - beatBlobs) <= 1.3 * 3600 * Double(sessions))
  }
}
