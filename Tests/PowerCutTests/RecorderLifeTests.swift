import Captures
import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing
import Timeline

/// The recorder over hours and days of virtual time.
@Suite("A recorder over days, restarts and boots")
struct RecorderLifeTests {
  private static let strap = "C0:FF:EE:00:00:01"
  private static let now: Int64 = 4_000_000_000_000_000
  private static let value = "value \(strap) 10 3c 00 04"

  private func values(_ count: Int, every seconds: Int = 1) -> [String] {
    (0..<count).flatMap { _ in ["pass \(seconds * 1_000_000)", Self.value] }
  }

  private func recorder() async throws -> DrivenRecorder {
    let recorder = try DrivenRecorder()
    try await recorder.allow([Self.strap])
    return recorder
  }

  @Test("a session of 24 hours rolls over into one that is linked to it, and no value is lost between them")
  func rollsOver() async throws {
    let recorder = try await recorder()
    let (status, _, errors) = try recorder.live(
      values(1500, every: 60) + ["settle", "stop"], boot: 1, now: Self.now)
    try #require(status == 0, "\(errors)")
    let sessions = try await recorder.sessions()
    try #require(sessions.count == 2)
    #expect(sessions.map(\.summary.endReason) == ["rolled", "shutdown"])
    #expect(sessions.map(\.rates.count) == [1440, 60])
    #expect(sessions[1].summary.metadata["linkedTo"] == .text(sessions[0].summary.id.uuidString))
    let between = try #require(sessions[1].rates.first).time.microseconds - sessions[0].rates[1439].time.microseconds
    #expect(between == 60_000_000)
  }

  @Test("a workout of 25 hours has the values of both its sessions, across midnight and the end of summer time")
  func longWorkout() async throws {
    let recorder = try await recorder()
    // It is 2026-10-24 12:00 UTC; in Europe clocks go back at 01:00 UTC.
    let noon: Int64 = 1_792_843_200_000_000
    let script =
      ["clock \(noon - DrivenRecorder.wall)"] + values(2) + ["workout 1 \(Self.strap)"] + values(1500, every: 60)
      + ["pass 1000000", "end 0", "settle", "stop"]
    let (status, _, errors) = try recorder.live(script, boot: 1, now: Self.now)
    try #require(status == 0, "\(errors)")
    #expect(try await recorder.sessions().map(\.rates.count) == [2, 1439, 61])
    let workout = try #require(try await recorder.workouts().first)
    #expect(workout.start.microseconds == noon + 2_000_000)
    #expect(workout.duration == .seconds(1500 * 60 + 1))
    #expect(workout.statistics(for: .heartRate)?.count == 1500)
  }

  @Test("a workout goes on after a power cut and a reboot, has the values of both boots, and is stored once")
  func workoutAcrossBoots() async throws {
    let recorder = try await recorder()
    let begin = values(2) + ["workout 1 \(Self.strap)"] + values(20) + ["call 1 event 7", "sync", "die"]
    _ = try recorder.live(begin, boot: 1, now: Self.now)
    let link = ["connected \(Self.strap)", "clock 100000000"]
    for _ in 0..<2 {
      let (status, _, errors) = try recorder.live(
        link + values(20) + ["call 1 event 8", "end 0", "settle", "stop"], boot: 2, now: 3_000_000_000_000_000)
      try #require(status == 0, "\(errors)")
    }
    let workouts = try await recorder.workouts()
    #expect(workouts.count == 1)
    #expect(workouts.first?.statistics(for: .heartRate)?.count == 39)
    #expect(workouts.first?.events.map(\.metadata) == [["n": 7], ["n": 8]])
    #expect(workouts.first?.start.microseconds == DrivenRecorder.wall + 2_000_000)
  }

  @Test("a suspend within the limit is a gap in the session, a longer one ends it")
  func suspend() async throws {
    let recorder = try await recorder()
    let script = values(60) + ["pass 200000000"] + values(60) + ["pass 3600000000"] + values(60) + ["settle", "stop"]
    let (status, _, errors) = try recorder.live(script, boot: 1, now: Self.now)
    try #require(status == 0, "\(errors)")
    let sessions = try await recorder.sessions()
    #expect(sessions.map(\.rates.count) == [120, 60])
    #expect(sessions.first?.summary.heartbeats.gaps == 1)
    #expect(sessions.first?.summary.endReason == "offSkin")
  }

  @Test(
    "after SIGKILL an open session goes on with the same identity within the limit, also in another boot as a new run")
  func goesOn() async throws {
    let recorder = try await recorder()
    let link = ["connected \(Self.strap)"]
    _ = try recorder.live(values(20) + ["die"], boot: 1, now: Self.now)
    _ = try recorder.live(link + values(20) + ["die"], boot: 1, now: Self.now + 120_000_000)
    // The wall clock stands where the boot before began: no time has passed as far as anybody knows.
    let (status, _, errors) = try recorder.live(
      link + values(20) + ["settle", "stop"], boot: 2, now: 3_000_000_000_000_000)
    try #require(status == 0, "\(errors)")
    let sessions = try await recorder.sessions()
    #expect(sessions.map(\.rates.count) == [60])
    #expect(sessions.first?.summary.heartbeats.gaps == 2)
    #expect(sessions.first?.summary.heartbeats.runs == 3)
  }

  @Test("a session that the store has is over, even where a power cut took its end from the journal")
  func storedIsOver() async throws {
    let recorder = try await recorder()
    let image = try DiskImage(of: recorder.root)
    var model = DiskModel(holding: image.state, inodes: image.inodes)
    _ = try recorder.live(
      values(20) + ["sync", "disconnected \(Self.strap)", "pass 400000000", "settle", "die"], boot: 1, now: Self.now)
    for operation in try recorder.takeOperations() { model.take(operation) }
    var random = SeededGenerator(seed: 1)
    // Of what no sync had covered nothing is left: neither the end nor the note of the commit.
    let states = (0..<100).map { _ in model.cut(using: &random) }
    func isOpen(_ state: DiskModel.State) -> Bool {
      let segments = state.filter { $0.key.hasSuffix(".journal") }.map { String(decoding: $0.value, as: UTF8.self) }
      return segments.contains { $0.contains(" m ") }
        && !segments.contains { $0.contains("ended") || $0.contains("committed") }
    }
    let state = try #require(states.first(where: isOpen))
    try DiskImage.write(state, to: recorder.root)
    #expect(try await recorder.sessions().map(\.rates.count) == [20])
    let (status, _, errors) = try recorder.live(
      values(5) + ["settle", "stop"], boot: 2, now: 3_000_000_000_000_000)
    try #require(status == 0, "\(errors)")
    #expect(try await recorder.sessions().map(\.rates.count).sorted() == [5, 20])
  }

  @Test("one that was open for longer than the limit ends as recovered, once, and the next value begins another")
  func recovered() async throws {
    let recorder = try await recorder()
    _ = try recorder.live(values(20) + ["die"], boot: 1, now: Self.now)
    for _ in 0..<2 {
      let (status, _, errors) = try recorder.live(["settle", "stop"], boot: 1, now: Self.now + 1_000_000_000)
      try #require(status == 0, "\(errors)")
    }
    let (status, _, errors) = try recorder.live(
      values(5) + ["settle", "stop"], boot: 1, now: Self.now + 2_000_000_000)
    try #require(status == 0, "\(errors)")
    let sessions = try await recorder.sessions()
    #expect(sessions.map(\.rates.count) == [20, 5])
    #expect(sessions.first?.summary.endReason == "recovered")
  }

  /// As when the limits were longer: the sensor was away for a quarter of an hour, and the wall clock was set meanwhile.
  @Test(
    "one that the limits of now end within what it holds is over at the start, also in another boot", arguments: [1, 2])
  func overByItsOwnLog(boot: UInt64) async throws {
    let recorder = try await recorder()
    func instant(_ seconds: Int64) -> BootInstant {
      BootInstant(microseconds: Self.now + 5_000_000_000 + seconds * 1_000_000)
    }
    let session = UUID()
    do {
      let (journal, _) = try Journal.open(directory: recorder.store + ".journal")
      let header = CaptureHeader(
        session: session, sensor: SensorIdentity(address: SensorAddress(Self.strap), name: nil), source: "test")
      let offset = DrivenRecorder.wall - Self.now - 6_000_000_000
      try journal.open(
        header,
        events: [
          SensorEvent(.boot(BootIdentifier(high: 1, low: boot)), at: instant(0)),
          SensorEvent(.clock(wallMinusBootMicroseconds: offset), at: instant(0)),
          SensorEvent(.connected, at: instant(0)),
        ])
      for second in 1...20 as ClosedRange<Int64> {
        try journal.append(SensorEvent(.measurement([0x10, 60, 0x00, 0x04]), at: instant(second)), to: session)
      }
      try journal.append(
        [
          SensorEvent(.disconnected(reason: nil), at: instant(21)),
          SensorEvent(.clock(wallMinusBootMicroseconds: offset + 5_000_000), at: instant(900)),
        ], to: session)
    }
    let start = boot == 1 ? Self.now + 6_000_000_000 : Self.now
    let (status, _, errors) = try recorder.live(
      ["connected \(Self.strap)"] + values(5) + ["settle", "stop"], boot: 1, now: start)
    try #require(status == 0, "\(errors)")
    let sessions = try await recorder.sessions()
    #expect(sessions.map(\.rates.count) == [20, 5])
    let first = try #require(sessions.first)
    #expect(first.summary.id == session && first.summary.endReason == "recovered")
    // Its last value was at 20 s, and the clock's last offset counts: in the same boot that of the start.
    let step: Int64 = boot == 1 ? 0 : 5
    #expect(first.summary.end.microseconds == DrivenRecorder.wall + (20 - 1000 + step) * 1_000_000)
  }

  @Test("a session of which a power cut left the beginning alone is not stored, and the next value begins another")
  func beginningAlone() async throws {
    let recorder = try await recorder()
    _ = try recorder.live(values(1) + ["die"], boot: 1, now: Self.now)
    let segment = URL(fileURLWithPath: "\(recorder.root)/sensord.sqlite.journal/00000001.journal")
    let lines = try String(contentsOf: segment, encoding: .utf8).split(separator: "\n")
    let beginning = lines.filter { !$0.contains(" m ") }
    try #require(beginning.count == lines.count - 1)
    try Data((beginning.joined(separator: "\n") + "\n").utf8).write(to: segment)
    for number in 1...2 {
      let (status, _, errors) = try recorder.live(
        ["settle", "stop"], boot: 1, now: Self.now + Int64(number) * 1_000_000)
      try #require(status == 0, "\(errors)")
    }
    #expect(try await recorder.sessions().isEmpty)
    let (status, _, errors) = try recorder.live(values(5) + ["settle", "stop"], boot: 1, now: Self.now + 10_000_000)
    try #require(status == 0, "\(errors)")
    #expect(try await recorder.sessions().map(\.rates.count) == [5])
  }

  @Test("what has ended while the recorder was away is stored beside the new recording, which does not wait for it")
  func recoveredBeside() async throws {
    let recorder = try await recorder()
    _ = try recorder.live(values(20) + ["die"], boot: 1, now: Self.now)
    let (status, _, errors) = try recorder.live(
      ["settle", "stop"], boot: 1, now: Self.now + 1_000_000_000, faults: "fsync:DELAY500:1:1000:sqlite-wal")
    try #require(status == 0, "\(errors)")
    // There is no bus, which is told as soon as it is turned to.
    let bus = try #require(errors.firstRange(of: "no message bus"))
    let stored = try #require(errors.firstRange(of: " stored: rates 20"))
    #expect(bus.lowerBound < stored.lowerBound, "\(errors)")
  }

  @Test("a session whose beginning the full disk refused is whole as soon as there is room")
  func beginsOnFullDisk() async throws {
    let recorder = try await recorder()
    let script = ["fill 1"] + values(10) + ["fill 0"] + values(10) + ["settle", "stop"]
    let (status, _, errors) = try recorder.live(
      script, boot: 1, now: Self.now, faults: "write:ENOSPC:1:1000000;open:ENOSPC:1:1000000", isSwitched: true)
    try #require(status == 0, "\(errors)")
    #expect(errors.contains("10 values that were in memory only are in the journal"))
    let session = try #require(try await recorder.sessions().first)
    #expect(session.rates.count == 20)
    #expect(session.summary.quality.lostValues ?? 0 == 0)
    #expect(session.rates.first?.time.microseconds == DrivenRecorder.wall + 1_000_000)
  }

  @Test("one that ends while the disk is full is committed when there is room, with its values, its end and its clock")
  func endsOnFullDisk() async throws {
    let recorder = try await recorder()
    let script =
      values(10) + ["fill 1", "clock 3600000000"] + values(10) + ["disconnected \(Self.strap)", "pass 400000000"]
      + ["pass 1000000", "settle", "fill 0", "pass 61000000", "settle", "stop"]
    let (status, _, errors) = try recorder.live(
      script, boot: 1, now: Self.now, faults: "write:ENOSPC:1:1000000;open:ENOSPC:1:1000000", isSwitched: true)
    try #require(status == 0, "\(errors)")
    let session = try #require(try await recorder.sessions().first)
    #expect(session.rates.count == 20)
    #expect(session.summary.endReason == "away")
    #expect(session.summary.quality.lostValues ?? 0 == 0)
    #expect(session.rates.first?.time.microseconds == DrivenRecorder.wall + 3_601_000_000)
  }
}
