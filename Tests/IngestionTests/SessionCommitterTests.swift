import Captures
import Foundation
import Glibc
import HealthModel
import SeriesStore
import Testing
import Timeline

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

  /// A journal with a session that has just connected.
  private func openJournal(_ configuration: JournalConfiguration = JournalConfiguration()) throws -> Journal {
    let (journal, _) = try Journal.open(directory: folder + "/journal", configuration: configuration)
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
    return journal
  }

  /// A session of sixty values across several segments that has ended.
  private func journal() throws -> Journal {
    let journal = try openJournal(JournalConfiguration(segmentBytes: 1000))
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
    return SessionCommitter(
      store: store, journal: journal, archive: nil, version: "test", eventRules: HeartEventRules())
  }

  @Test("a session of which a segment cannot be read waits; once it can be everything is stored")
  func transient() async throws {
    let journal = try journal()
    let committer = try committer(journal)
    let segment = folder + "/journal/00000002.journal"
    #expect(unsafe rename(segment, segment + ".kept") == 0 && mkdir(segment, 0o700) == 0)
    for _ in 0..<9 {
      await #expect(throws: SessionCommitter.Failure.self) { try await committer.commit(session, now: (0, 0)) }
    }
    #expect(unsafe rmdir(segment) == 0 && rename(segment + ".kept", segment) == 0)
    let committed = try await committer.commit(session, now: (0, 0))
    #expect(committed.rates == 60 && committed.damages.isEmpty)
  }

  /// A series of sixty values across several segments.
  private func seriesJournal() throws -> Journal {
    let (journal, _) = try Journal.open(
      directory: folder + "/journal", configuration: JournalConfiguration(segmentBytes: 500))
    try journal.open(
      ClientSeries(identifier: session, type: "bodyTemperature", unit: "degC", source: "org.example.Ear@1000"))
    for second in 0..<60 {
      let time = 1_790_000_000_000_000 + Int64(second) * 1_000_000
      try journal.append(
        .values([SampleDraft.QuantityValue(36.5, over: TimeSpan(at: Timestamp(microseconds: time)))]), toSeries: session
      )
    }
    return journal
  }

  @Test("a series of which a segment stays unreadable is stored without it after ten failures")
  func lastingSeries() async throws {
    let journal = try seriesJournal()
    let committer = try committer(journal)
    let segment = folder + "/journal/00000003.journal"
    #expect(unsafe rename(segment, segment + ".kept") == 0 && mkdir(segment, 0o700) == 0)
    for _ in 0..<10 {
      await #expect(throws: SessionCommitter.Failure.self) { try await committer.commit(series: session) }
    }
    let committed = try await committer.commit(series: session)
    #expect(committed.outcome == .stored)
    #expect(committed.rates > 40 && committed.rates < 60)
    #expect(committed.damages.map(\.file) == ["00000003.journal"])
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
      await #expect(throws: SessionCommitter.Failure.self) { try await committer.commit(session, now: (0, 0)) }
    }
    let committed = try await committer.commit(session, now: (0, 0))
    #expect(committed.outcome == .stored)
    #expect(values > 0 && committed.rates == 60 - values)
    #expect(committed.damages.map(\.reason) == [.unreadable(EISDIR)])
    try journal.sync()
    #expect(unsafe access(segment + ".damaged", F_OK) == 0)
  }

  @Test("a session is stored with its heart events, once, and a scan by the same rules finds the same")
  func events() async throws {
    let journal = try openJournal()
    for second in 2..<702 {
      // Between milliseconds, in which stored times are.
      let instant = BootInstant(microseconds: Int64(second) * 1_000_000 + Int64(second) * 37 % 1_000)
      try journal.append(SensorEvent(.measurement([0x10, 35, 0xDB, 0x06]), at: instant), to: session)
    }
    try journal.append(SensorEvent(.ended(.request), at: BootInstant(microseconds: 702_000_000)), to: session)
    let store = try HealthStore.open(folder + "/sensord.sqlite", for: .recording)
    let rules = HeartEventRules(low: 36)
    let committer = SessionCommitter(store: store, journal: journal, archive: nil, version: "test", eventRules: rules)
    #expect(try await committer.commit(session, now: (0, 0)).outcome == .stored)
    let query = SampleQuery(.type(.category(.lowHeartRateEvent)))
    let event = try #require(try await query.result(for: store).value.first)
    #expect(event.session == session && event.end.microseconds(since: event.start) / 1_000 == 600_000)

    let stored = try await store.session("last")
    #expect(try await EventScan(in: store, by: rules).scan(stored) == EventRenewal(added: 0, removed: 0, kept: 1))
    #expect(try await query.result(for: store).value == [event])
    let others = EventScan(in: store, by: HeartEventRules(low: 35))
    #expect(try await others.scan(stored) == EventRenewal(added: 0, removed: 1, kept: 0))
    #expect(try await EventScan(in: store, by: rules).scan(stored).added == 1)
    try await store.delete(session)
    #expect(try await EventScan(in: store, by: rules).scan(stored) == EventRenewal())
  }
}
