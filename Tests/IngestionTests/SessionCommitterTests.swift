import Captures
import Foundation
import Glibc
import Sensors
import SeriesStore
import Testing

@testable import Ingestion

@Suite("The committer")
final class SessionCommitterTests {
  private let folder: String
  private let session = UUID()

  init() throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("sensord-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    folder = place.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// A session of sixty values across several segments that has ended.
  private func journal() throws -> Journal {
    let (journal, _) = try Journal.open(
      directory: folder + "/journal", configuration: JournalConfiguration(segmentBytes: 1000))
    let start = BootInstant(microseconds: 1_000_000)
    try journal.open(
      CaptureHeader(
        session: session, sensor: SensorIdentity(address: SensorAddress("C0:FF:EE:00:00:01"), name: nil),
        source: "test"),
      events: [
        SensorEvent(.boot(BootIdentifier(high: 1, low: 2)), at: start),
        SensorEvent(.clock(wallMinusBootMicroseconds: 1_790_000_000_000_000), at: start),
        SensorEvent(.connected, at: start),
      ])
    for second in 2..<62 {
      let value = SensorEvent(
        .measurement([0x10, 60, 0x00, 0x04]), at: BootInstant(microseconds: Int64(second) * 1_000_000))
      try journal.append(value, to: session)
    }
    try journal.append(SensorEvent(.ended(.request), at: BootInstant(microseconds: 62_000_000)), to: session)
    return journal
  }

  private func committer(_ journal: Journal) throws -> SessionCommitter {
    let store = try HealthStore.open(folder + "/sensord.sqlite", for: .recording)
    return SessionCommitter(store: store, journal: journal, archive: nil, version: "test")
  }

  @Test("a session of which a segment cannot be read waits; once it can be everything is stored")
  func transient() async throws {
    let journal = try journal()
    let committer = try committer(journal)
    let segment = folder + "/journal/00000002.journal"
    #expect(unsafe rename(segment, segment + ".kept") == 0 && mkdir(segment, 0o700) == 0)
    for _ in 0..<9 {
      await #expect(throws: SessionCommitter.Failure.self) { try await committer.commit(session, now: 0) }
    }
    #expect(unsafe rmdir(segment) == 0 && rename(segment + ".kept", segment) == 0)
    let committed = try await committer.commit(session, now: 0)
    #expect(committed.rates == 60 && committed.damages.isEmpty)
  }

  @Test("after ten failed readings it is stored without that segment, which is reported and set aside")
  func lasting() async throws {
    let journal = try journal()
    let committer = try committer(journal)
    let segment = folder + "/journal/00000002.journal"
    let values = try String(contentsOfFile: segment, encoding: .utf8).split(separator: "\n").count {
      $0.contains(" m ")
    }
    #expect(unsafe rename(segment, segment + ".kept") == 0 && mkdir(segment, 0o700) == 0)
    for _ in 0..<10 {
      await #expect(throws: SessionCommitter.Failure.self) { try await committer.commit(session, now: 0) }
    }
    let committed = try await committer.commit(session, now: 0)
    #expect(committed.outcome == .stored)
    #expect(values > 0 && committed.rates == 60 - values)
    #expect(committed.damages.map(\.reason) == [.unreadable(EISDIR)])
    try journal.sync()
    #expect(unsafe access(segment + ".damaged", F_OK) == 0)
  }
}
