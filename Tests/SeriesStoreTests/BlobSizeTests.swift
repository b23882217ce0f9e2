import CSQLite
import Glibc
import HealthModel
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
    return stride(from: start, to: bytes.count - 7, by: 8).map { place in
      Int(bytes[place]) | Int(bytes[place + 1]) << 8 | Int(bytes[place + 2]) << 16
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

  @Test("the closed file grows by its blobs, a tenth of them, and 2 KB a session")
  func growth() async throws {
    let folder = TemporaryFolder()
    let store = try HealthStore.open(folder.store, for: .writing)
    await store.close()
    let before = folder.bytes(of: "store.sqlite").count
    let writer = try HealthStore.open(folder.store, for: .writing)
    let sessions = 60
    for number in 0..<sessions {
      let start = Timestamp(microseconds: 1_714_920_600_436_237 + Int64(number) * 86_400_000_000)
      _ = try await writer.commit(try makeSession(seed: UInt64(number), beats: 2400, start: start))
    }
    await writer.close()
    let growth = folder.bytes(of: "store.sqlite").count - before
    let connection = try Connection(folder.store, flags: SQLITE_OPEN_READONLY)
    let blobs = Int(try connection.integer("SELECT sum(length(payload)) FROM chunk"))
    print("growth \(growth) bytes by \(sessions) sessions with \(blobs) bytes of blobs")
    #expect(growth <= blobs + blobs / 10 + 2048 * sessions)
  }
}
