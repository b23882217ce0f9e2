import DBus
import Foundation
import HealthModel
import SeriesStore
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Ingestion

/// Row B: a session is committed, and then the clock becomes right.
@Suite("A clock that becomes right after a session was stored", .timeLimit(.minutes(5)))
struct DatingTests {
  private static let days: Int64 = 3 * 86_400

  /// When something happened by the clock that is right.
  private static func right(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: Invented.at(seconds).microseconds + Invented.wallMinusBoot + days * 1_000_000)
  }

  /// A recorder without a clock of its own, and the clock's service, on one bus.
  private struct Stage {
    let bus: PrivateBus
    let loop: EventLoop
    let service: TimeService
    let witness = RecorderWitness()
    let recorder: LoneRecorder

    init(service hasService: Bool = true, after earlier: LoneRecorder? = nil) async throws {
      bus = try PrivateBus()
      loop = try EventLoop.startThread(named: "service")
      service = try await TimeService(on: bus.address, loop: loop)
      if !hasService { await service.end() }
      let (address, witness) = (bus.address, witness)
      recorder = try await LoneRecorder(after: earlier) {
        $0.bus = .address(address)
        $0.machineClock = MachineClock(goesOnWithoutPower: false)
        $0.log = { witness.note(line: $1) }
      }
    }

    func end() async {
      await service.end()
      loop.stop()
    }

    /// Records values in these seconds, and has the session end by its limit and be stored.
    func record(_ seconds: ClosedRange<Int>, _ recorder: Recorder) async {
      for second in seconds {
        self.recorder.setTime(Double(second))
        await recorder.record(.measurement([0x10, 60, 0, 4]), of: LoneRecorder.strap, at: Invented.at(Double(second)))
      }
      self.recorder.setTime(Double(seconds.upperBound + 900))
      await recorder.timerFired()
      await recorder.commitsEnded()
    }

    /// Waits until the recorder has heard from the service, or that there is none.
    func asked(_ recorder: Recorder) async {
      // A loop that is kept busy reads no message.
      while await !recorder.condition.hasBus { try? await recorder.loop.sleep(for: .milliseconds(2)) }
      await recorder.wallClock?.lookBeforeCommit()
    }

    /// The wall clock is set, which the kernel says.
    func set(_ recorder: Recorder) async {
      self.recorder.setClock(DatingTests.days)
      await recorder.timerFired()
      await recorder.wallClock?.lookBeforeCommit()
    }
  }

  @Test("a session that was stored before is dated anew, once, with a line in the log, and is no longer marked")
  func anew() async throws {
    let stage = try await Stage()
    let before = Mutex<[UUID]>([])
    try await stage.recorder.run(awaiting: { recorder in
      await stage.asked(recorder)
      await stage.record(101...103, recorder)
      #expect(await recorder.status().doubtful == 1)
      do {
        let store = try stage.recorder.openToRead()
        let session = try #require(try await store.sessions().first)
        #expect(session.start < Self.right(0))
        #expect(try await store.clock(of: session.id)?.belief == .notSynchronised)
        let samples = try await SampleQuery(.all).result(for: store).value.map(\.id)
        before.withLock { $0 = samples }
      } catch { Issue.record(error) }
      stage.service.synchronise()
      await stage.set(recorder)
      #expect(await recorder.status().doubtful == 0)
    })
    let store = try stage.recorder.openToRead()
    let sessions = try await store.sessions()
    let session = try #require(sessions.first)
    #expect(sessions.count == 1 && session.start <= Self.right(101) && session.start > Self.right(99))
    #expect(session.end >= Self.right(103) && session.syncVersion == 3)
    let rates = try await store.rates(of: session.id)
    #expect(rates.map(\.time) == [101, 102, 103].map { Self.right($0) })
    let end = try #require(try await store.beats(of: session.id).bounds?.end)
    #expect(end <= Self.right(103) && end > Self.right(101))
    let clock = try #require(try await store.clock(of: session.id))
    #expect(clock.belief == .synchronised && !clock.isDoubtful && clock.dating == 1)
    #expect(clock.shift == Self.days * 1_000_000 && clock.boot == Invented.boot.uuid)
    let after = try await SampleQuery(.all).result(for: store).value.map(\.id)
    #expect(after.count == before.withLock { $0 }.count && Set(after).isDisjoint(with: before.withLock { $0 }))
    #expect(stage.witness.count("is dated anew, by +259200 s") == 1)
    #expect(try await store.check().isEmpty)
    await stage.end()
  }

  @Test("also by a recorder that was started after it, in the same boot, without kept captures")
  func restarted() async throws {
    let first = try await Stage()
    try await first.recorder.run(awaiting: { recorder in
      await first.asked(recorder)
      await first.record(101...103, recorder)
    })
    let second = try await Stage(after: first.recorder)
    second.service.synchronise()
    second.recorder.setTime(2_000)
    second.recorder.setClock(Self.days)
    try await second.recorder.run(awaiting: { recorder in await second.asked(recorder) })
    let session = try #require(try await second.recorder.openToRead().sessions().first)
    #expect(session.end > Self.right(103).advanced(byMicroseconds: -1_000_000))
    await first.end()
    await second.end()
  }

  @Test("one that ended before the clock was right, and is stored after, is right, too")
  func waiting() async throws {
    let stage = try await Stage()
    try await stage.recorder.run(awaiting: { recorder in
      await stage.asked(recorder)
      await stage.record(101...103, recorder)
      stage.service.synchronise()
      await stage.set(recorder)
      await stage.record(2_001...2_003, recorder)
    })
    let store = try stage.recorder.openToRead()
    let clocks = try await store.clocks()
    #expect(clocks.count == 2 && clocks.values.allSatisfy { $0.belief == .synchronised })
    let starts = try await store.sessions().map(\.start)
    #expect(zip(starts, [Self.right(99), Self.right(1_999)]).allSatisfy { $0 > $1 })
    await stage.end()
  }

  @Test("what was deleted stays deleted")
  func deleted() async throws {
    let stage = try await Stage()
    try await stage.recorder.run(awaiting: { recorder in
      await stage.asked(recorder)
      await stage.record(101...103, recorder)
      do {
        let store = try HealthStore.open(stage.recorder.store, for: .writing)
        try await store.delete(try #require(try await store.sessions().first).id)
        await store.close()
      } catch { Issue.record(error) }
      stage.service.synchronise()
      await stage.set(recorder)
      #expect(await recorder.status().doubtful == 0)
    })
    #expect(try await stage.recorder.openToRead().sessions().isEmpty)
    #expect(stage.witness.count("dated anew") == 0)
    await stage.end()
  }

  @Test("set by hand: nothing is dated anew, and one line names the sessions and the command")
  func byHand() async throws {
    for hasService in [true, false] {
      let stage = try await Stage(service: hasService)
      try await stage.recorder.run(awaiting: { recorder in
        await stage.asked(recorder)
        await stage.record(101...103, recorder)
        await stage.set(recorder)
        for look in 1...30 {
          stage.recorder.setTime(Double(1_100 + 30 * look))
          await recorder.timerFired()
          await recorder.wallClock?.question?.value
        }
        #expect(await recorder.status().doubtful == 1)
      })
      let session = try #require(try await stage.recorder.openToRead().sessions().first)
      #expect(session.start < Self.right(0))
      let name = session.id.uuidString.lowercased().prefix(8)
      #expect(stage.witness.count("sensord sessions date \(name) --start TIME") == 1)
      #expect(stage.witness.count("was set by hand") == 1)
      if hasService { #expect(stage.service.questions <= 25) }
      await stage.end()
    }
  }

  @Test("a workout goes with its session: its times, activities, energy and recovery")
  func workout() async throws {
    let stage = try await Stage()
    let identifier = Mutex<UUID?>(nil)
    try await stage.recorder.run(awaiting: { recorder in
      await stage.asked(recorder)
      do {
        await RecorderWorkoutsTests.record(100...101, stage.recorder, recorder)
        let workout = try await recorder.beginWorkout(
          RecorderWorkoutsTests.running, for: Invented.game, metadata: ["title": "Race"])
        identifier.withLock { $0 = workout }
        await RecorderWorkoutsTests.record(102...160, stage.recorder, recorder)
        try await recorder.change(workout, .beginActivity(UUID(), RecorderWorkoutsTests.running, metadata: ["n": 1]))
        try await recorder.change(workout, .event(.lap))
        let end = Task { try await recorder.endWorkout(workout) }
        while await recorder.runningWorkouts.first?.session.state != .stopped { await Task.yield() }
        await RecorderWorkoutsTests.record(161...230, stage.recorder, recorder)
        await recorder.timerFired()
        try await end.value
        stage.recorder.setTime(2_000)
        await recorder.timerFired()
        await recorder.commitsEnded()
        let store = try stage.recorder.openToRead()
        let before = try await store.workout(workout)
        #expect(before.start < Self.right(0))
        #expect(try await store.clock(of: workout)?.isDoubtful == true)
        stage.service.synchronise()
        await stage.set(recorder)
        let after = try await stage.recorder.openToRead().workout(workout)
        let shift = Self.days * 1_000_000
        #expect(after.start == before.start.advanced(byMicroseconds: shift))
        #expect(after.end == before.end.advanced(byMicroseconds: shift) && after.metadata == before.metadata)
        #expect(after.activities.map(\.start) == before.activities.map { $0.start.advanced(byMicroseconds: shift) })
        #expect(after.events.map(\.span.start) == before.events.map { $0.span.start.advanced(byMicroseconds: shift) })
        #expect(after.statistics(for: .heartRate)?.count == before.statistics(for: .heartRate)?.count)
        #expect(after.statistics(for: .heartRate)?.average == before.statistics(for: .heartRate)?.average)
      } catch { Issue.record(error) }
    })
    let store = try stage.recorder.openToRead()
    let workout = try #require(identifier.withLock { $0 })
    let its = try await SampleQuery(.collected(in: workout)).result(for: store).value
    #expect(its.count >= 3 && its.allSatisfy { $0.start >= Self.right(99) }, "\(its.map(\.type))")
    #expect(try await store.clock(of: workout)?.belief == .synchronised)
    #expect(try await store.check().isEmpty)
    await stage.end()
  }

  @Test("a clock whose service says nothing, or that is synchronised, is asked for no more than needed")
  func questions() async throws {
    let stage = try await Stage()
    stage.service.synchronise()
    try await stage.recorder.run(awaiting: { recorder in
      await stage.asked(recorder)
      for start in [101, 2_001, 4_001] { await stage.record(start...start + 2, recorder) }
      #expect(await recorder.wallClock?.looks.belief == .synchronised)
    })
    #expect(stage.service.questions == 1)
    let clocks = try await stage.recorder.openToRead().clocks()
    #expect(clocks.count == 3 && clocks.values.allSatisfy { $0.belief == .synchronised && !$0.isDoubtful })
    await stage.end()
  }
}
