import Captures
import Foundation
import HealthModel
import SeriesStore
import Synchronization
import Testing
import Timeline

@testable import Ingestion

@Suite("A clock that is set while nothing else happens", .timeLimit(.minutes(5)))
struct LateClockTests {
  private static let days: Int64 = 3 * 86_400

  private static func record(_ seconds: ClosedRange<Int>, _ stage: LoneRecorder, _ recorder: isolated Recorder) {
    for second in seconds {
      stage.setTime(Double(second))
      recorder.record(.measurement([0x10, 60, 0, 4]), of: LoneRecorder.strap, at: Invented.at(Double(second)))
    }
  }

  /// A session of three values whose strap goes out of reach; then the clock is set.
  private static func recordAway(_ stage: LoneRecorder, _ recorder: isolated Recorder) {
    record(101...103, stage, recorder)
    recorder.record(.disconnected(reason: nil), of: LoneRecorder.strap, at: Invented.at(103))
    stage.setTime(110)
    stage.setClock(days)
  }

  /// When the last value of that session arrived, by the clock that was set.
  private static let end = Timestamp(
    microseconds: Invented.at(103).microseconds + Invented.wallMinusBoot + days * 1_000_000)

  @Test("a session that the recorder's end ends is stored with the right dates")
  func finish() async throws {
    let stage = try await LoneRecorder()
    let captures = try await stage.run { Self.recordAway(stage, $0) }
    let session = try #require(try await stage.openToRead().sessions().first)
    #expect(session.endReason == "shutdown" && session.end >= Self.end)
    #expect(session.start > Self.end.advanced(byMicroseconds: -10_000_000))
    // Instants of a session never decrease.
    let instants = try #require(captures.first).events.map(\.instant)
    #expect(instants == instants.sorted())
  }

  @Test("a session that ends by a limit is stored with the right dates, and its last event is no later than its end")
  func limit() async throws {
    let stage = try await LoneRecorder()
    let captures = try await stage.run { recorder in
      Self.recordAway(stage, recorder)
      stage.setTime(100_000)
      recorder.timerFired()
    }
    let session = try #require(try await stage.openToRead().sessions().first)
    #expect(session.endReason == "away" && session.end == Self.end)
    let instants = try #require(captures.first).events.map(\.instant)
    #expect(instants == instants.sorted())
  }

  @Test("a session that has passed its limit when its sensor comes back knows of the clock, and so does the next")
  func back() async throws {
    let stage = try await LoneRecorder()
    try await stage.run { recorder in
      Self.recordAway(stage, recorder)
      Self.record(100_000...100_001, stage, recorder)
    }
    let sessions = try await stage.openToRead().sessions()
    #expect(sessions.map(\.endReason) == ["away", "shutdown"])
    #expect(sessions.first?.end == Self.end)
    let next = try #require(sessions.last)
    #expect(next.start > Self.end.advanced(byMicroseconds: 99_000 * 1_000_000))
  }

  @Test("a session that a killed recorder left is dated by the clock of its boot, also where it does not go on")
  func restart() async throws {
    for endsWithClient in [false, true] {
      let stage = try await LoneRecorder()
      try stage.writeJournal { journal in
        let header = CaptureHeader(
          session: Invented.session(7), sensor: SensorIdentity(address: Invented.strap, name: nil), source: "test",
          request: endsWithClient
            ? SessionRequest(
              identifier: Invented.session(6), uid: 1000, application: "org.example.Game", endsWithClient: true) : nil)
        try journal.open(
          header,
          events: [
            SensorEvent(.boot(Invented.boot), at: Invented.at(90)),
            SensorEvent(
              .clock(wallMinusBootMicroseconds: Invented.wallMinusBoot - Self.days * 1_000_000), at: Invented.at(90)),
          ])
        for second in 91...95 {
          try journal.append(
            SensorEvent(.measurement([0x10, 60, 0, 4]), at: Invented.at(Double(second))), to: Invented.session(7))
        }
      }
      if !endsWithClient { stage.setTime(100_000) }
      try await stage.run { _ in }
      let session = try #require(try await stage.openToRead().sessions().first)
      #expect(session.end.microseconds == Invented.at(95).microseconds + Invented.wallMinusBoot)
    }
  }

  @Test("how long a state has lasted does not change with the wall clock, whose times the status has")
  func status() async throws {
    let stage = try await LoneRecorder()
    let seen = Seen()
    try await stage.run { recorder in
      Self.record(101...103, stage, recorder)
      recorder.publishStatus()
      stage.setTime(110)
      seen.append(recorder.status())
      stage.setClock(Self.days)
      seen.append(recorder.status())
    }
    let sensors = seen.all.compactMap { $0.sensors.first }
    try #require(sensors.count == 2)
    let step = Self.days * 1_000_000
    #expect(sensors[0].state == .measuring && sensors[1].since == sensors[0].since + step)
    #expect(sensors[1].sessionStart == sensors[0].sessionStart.map { $0 + step })
    #expect(sensors[1].rateAt == sensors[0].rateAt.map { $0 + step })
  }

  @Test("a clock that is a year ahead deletes no capture; what is too much is deleted, and the log says so")
  func captures() async throws {
    let lines = Lines()
    for bytes: Int64? in [nil, 1] {
      let stage = try await LoneRecorder {
        $0.captures?.maximumAge = .seconds(30 * 86_400)
        $0.captures?.maximumBytes = bytes
        $0.log = { lines.append($1) }
      }
      let captures = try await stage.run(awaiting: { recorder in
        for (number, days) in [0, 400].enumerated() {
          let start = 1_000 * (number + 1)
          await Self.record(start...start + 3, stage, recorder)
          stage.setClock(Int64(days) * 86_400)
          stage.setTime(Double(start + 900))
          await recorder.timerFired()
          await recorder.commitsEnded()
        }
      })
      #expect(captures.count == (bytes == nil ? 2 : 0))
      #expect(lines.all.count { $0.contains("was deleted") } == (bytes == nil ? 0 : 2))
    }
  }

  @Test("the store's file alone has a session as soon as no other is open, while the recorder goes on")
  func log() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      await Self.record(101...103, stage, recorder)
      stage.setTime(1_000)
      await recorder.timerFired()
      await recorder.commitsEnded()
      #expect(FileManager.default.contents(atPath: stage.store + "-wal")?.isEmpty == true)
    })
  }

  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func append(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private final class Seen: Sendable {
    private let statuses = Mutex<[RecorderStatus]>([])
    var all: [RecorderStatus] { statuses.withLock { $0 } }
    func append(_ status: RecorderStatus) { statuses.withLock { $0.append(status) } }
  }
}
