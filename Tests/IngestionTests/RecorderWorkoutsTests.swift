import Captures
import DBus
import FoundationEssentials
import HealthModel
import SeriesStore
import Synchronization
import Testing
import Timeline

@testable import Ingestion

@Suite("The recorder that is asked for live workouts", .timeLimit(.minutes(5)))
struct RecorderWorkoutsTests {
  static let running = WorkoutConfiguration(.running)

  static func wall(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: Invented.at(seconds).microseconds + Invented.wallMinusBoot)
  }

  /// The strap sends one value a second, the rate of which is the second, and counts energy.
  static func record(_ seconds: ClosedRange<Int>, _ stage: LoneRecorder, _ recorder: Recorder) async {
    for second in seconds {
      stage.setTime(Double(second))
      await recorder.receive(second)
    }
  }

  @Test("a workout is stored with its activities, its strap's values and energy when its recovery is over")
  func whole() async throws {
    let stage = try await LoneRecorder()
    let captures = try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...101, stage, recorder)
        let workout = try await recorder.beginWorkout(Self.running, for: Invented.game, metadata: ["title": "Race"])
        await Self.record(102...104, stage, recorder)
        try await recorder.change(workout, .pause)
        await Self.record(105...107, stage, recorder)
        try await recorder.change(workout, .resume)
        let activity = UUID()
        try await recorder.change(workout, .beginActivity(activity, Self.running, metadata: ["n": 1]))
        await Self.record(108...110, stage, recorder)
        try await recorder.change(workout, .event(.lap))
        try await recorder.change(workout, .event(.marker))
        let figures = try await recorder.statistics(of: .heartRate, in: workout)
        // What arrives in the moment in which it goes on is still of the pause.
        #expect(figures.workout?.maximum == 110 && figures.activity?.count == 3)
        let end = Task { try await recorder.endWorkout(workout) }
        while await recorder.runningWorkouts.first?.session.state != .stopped { await Task.yield() }
        #expect(await recorder.workouts.stages[workout]?.deadline == Invented.at(175))
        await Self.record(111...174, stage, recorder)
        await recorder.timerFired()
        #expect(await recorder.runningWorkouts.count == 1)
        stage.setTime(175)
        await recorder.timerFired()
        try await end.value
        #expect(await recorder.runningWorkouts.isEmpty)
        // The next session goes on from the workout's.
        await Self.record(176...177, stage, recorder)
        let stored = try await recorder.stored(workout)
        #expect(stored.start == Self.wall(101) && stored.end == Self.wall(110))
        #expect(stored.metadata["title"] == "Race" && stored.activities.map(\.id) == [activity])
        #expect(stored.activities.first?.events.map(\.type) == [.lap, .marker])
        #expect(stored.activities.first?.events.first?.span == TimeSpan(start: Self.wall(107), end: Self.wall(110)))
        #expect(stored.events.map(\.type) == [.pause, .resume])
        let rates = stored.statistics(for: .heartRate)
        #expect(rates?.maximum == 109 && rates?.minimum == 102)
        #expect(stored.statistics(for: .activeEnergyBurned) != nil)
      } catch {
        Issue.record("\(error)")
      }
    })
    // Nothing was lost at either end, and what followed the workout belongs to the session after it.
    #expect(captures.map(\.notificationCount).sorted() == [2, 2, 73])
    #expect(captures.filter { $0.header.request != nil }.map(\.notificationCount) == [73])
    let sample = try await stage.workoutSample()
    #expect(sample?.source.identifier == Invented.game.source)
    #expect(sample?.device?.localIdentifier == "\(LoneRecorder.strap)")
    // A program sees the strap's energy only if it may read energy.
    #expect(try await stage.samples(of: .activeEnergyBurned).map(\.source.identifier) == ["sensord"])
  }

  @Test("every wrong order, sensor and time is refused by name, and nothing of it is kept")
  func refused() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      let straps = [LoneRecorder.strap, LoneRecorder.other]
      await #expect(throws: WorkoutRequestFailure.noSession(.noneMeasuring(straps))) {
        _ = try await recorder.beginWorkout(Self.running, for: Invented.game)
      }
      let long = WorkoutConfiguration(.swimming, lapLength: Quantity(50_000, .meter))
      await #expect(throws: WorkoutRequestFailure.invalid(.invalidLapLength)) {
        _ = try await recorder.beginWorkout(long, of: .none, for: Invented.game)
      }
      await Self.record(100...101, stage, recorder)
      do {
        let workout = try await recorder.beginWorkout(Self.running, for: Invented.game)
        for sensor in [WorkoutSensor.any, .one(LoneRecorder.strap)] {
          await #expect(throws: WorkoutRequestFailure.noSession(.busy(LoneRecorder.strap))) {
            _ = try await recorder.beginWorkout(Self.running, of: sensor, for: Invented.game)
          }
        }
        await #expect(throws: SessionRequestFailure.busy(LoneRecorder.strap)) {
          _ = try await recorder.beginSession(of: nil, for: Invented.game)
        }
        // Its session is nobody's to end.
        #expect(await recorder.requestedSessions.isEmpty)
        await #expect(throws: WorkoutRequestFailure.notOpen) { try await recorder.change(UUID(), .pause) }
        await #expect(throws: WorkoutRequestFailure.invalid(.notPossible(in: .running))) {
          try await recorder.change(workout, .resume)
        }
        await #expect(throws: WorkoutRequestFailure.invalid(.noActivity)) {
          try await recorder.change(workout, .endActivity)
        }
        await #expect(throws: WorkoutRequestFailure.invalid(.activityType(.cycling, in: .running))) {
          try await recorder.change(workout, .beginActivity(UUID(), WorkoutConfiguration(.cycling)))
        }
        await #expect(throws: WorkoutRequestFailure.invalid(.timeGoesBack)) {
          try await recorder.change(workout, .pause, at: Self.wall(99))
        }
        await #expect(throws: WorkoutRequestFailure.invalidTime) {
          try await recorder.change(workout, .pause, at: Self.wall(200))
        }
        await #expect(throws: WorkoutRequestFailure.invalid(.eventOfSession(.pause))) {
          try await recorder.change(workout, .event(.pause))
        }
        await #expect(throws: WorkoutRequestFailure.invalid(.unknownEvent(WorkoutEventType(rawValue: 99)))) {
          try await recorder.change(workout, .event(WorkoutEventType(rawValue: 99)))
        }
        await #expect(throws: WorkoutRequestFailure.unknownSample) {
          try await recorder.addSamples([UUID()], to: workout)
        }
        await #expect(throws: WorkoutRequestFailure.refused(.reservedKey)) {
          try await recorder.change(workout, .metadata(["interrupted": 1]))
        }
        #expect(await recorder.workouts[workout]?.contents.records.count == 3)
        try await recorder.endWorkout(workout, waitsForRecovery: false)
        await #expect(throws: WorkoutRequestFailure.notOpen) { try await recorder.endWorkout(workout) }
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("a discarded workout is nowhere, and what its strap sent stays; a client's death ends one without waiting")
  func discarded() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...101, stage, recorder)
        let discarded = try await recorder.beginWorkout(Self.running, for: Invented.game)
        await Self.record(102...104, stage, recorder)
        try await recorder.discardWorkout(discarded)
        await #expect(throws: WorkoutRequestFailure.notOpen) { try await recorder.change(discarded, .pause) }
        let gone = try await recorder.beginWorkout(
          Self.running, of: .one(LoneRecorder.strap), for: Invented.game, endsWithClient: true)
        await Self.record(105...106, stage, recorder)
        await recorder.interruptWorkout(gone)
        await recorder.commitsEnded()
        #expect(try await recorder.stored(gone).end == Self.wall(106))
        await #expect(throws: StoreError.self) { try await recorder.stored(discarded) }
      } catch {
        Issue.record("\(error)")
      }
    })
    #expect(try await stage.samples(of: .heartRate).map(\.count).reduce(0, +) == 7)
  }

  @Test("samples of its program are collected, with figures; those of another program are not found")
  func samples() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        let workout = try await recorder.beginWorkout(Self.running, of: .none, for: Invented.game)
        stage.setTime(110)
        let own = try await recorder.save(5, at: Self.wall(105), as: Invented.game)
        let foreign = try await recorder.save(7, at: Self.wall(105), as: ClientIdentity(uid: 1001))
        try await recorder.addSamples([own, own], to: workout)
        try await recorder.addSamples([own], to: workout)
        await #expect(throws: WorkoutRequestFailure.unknownSample) {
          try await recorder.addSamples([own, foreign], to: workout)
        }
        #expect(await recorder.runningWorkouts.first?.sampleCount == 1)
        #expect(try await recorder.statistics(of: .stepCount, in: workout).workout?.sum == 5)
        // Without a sensor there is no recovery to wait for.
        try await recorder.endWorkout(workout)
        #expect(try await recorder.stored(workout).statistics(for: .stepCount)?.sum == 5)
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("a lap of a live swim has its SWOLF score: the strokes that its program counted, and its seconds")
  func swim() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        let workout = try await recorder.beginWorkout(
          WorkoutConfiguration(.swimming), of: .none, for: Invented.game)
        stage.setTime(110)
        let strokes = try await recorder.save(15, of: .swimmingStrokeCount, at: Self.wall(105), as: Invented.game)
        try await recorder.addSamples([strokes], to: workout)
        try await recorder.change(workout, .event(.lap, over: TimeSpan(start: Self.wall(102), end: Self.wall(110))))
        try await recorder.endWorkout(workout)
        let laps = try await recorder.stored(workout).events.filter { $0.type == .lap }
        #expect(laps.map { $0.metadata[WorkoutEvent.swolfScoreKey] } == [.quantity(Quantity(23, .count))])
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("the end of a workout that the store does not take says so, and the next recorder stores it once")
  func notStored() async throws {
    let stage = try await LoneRecorder()
    _ = try? await stage.run(awaiting: { recorder in
      do {
        let workout = try await recorder.beginWorkout(Self.running, of: .none, for: Invented.game)
        stage.setTime(110)
        await recorder.closeTheStore()
        let ends = (1...2).map { _ in Task { try await recorder.endWorkout(workout) } }
        while await recorder.waits(for: workout) != 2 { await Task.yield() }
        await recorder.commitsEnded()
        #expect(await recorder.unstoredWorkouts.map(\.session.state) == [.ended])
        recorder.requestStop()
        for end in ends { await #expect(throws: WorkoutRequestFailure.notStored) { try await end.value } }
      } catch {
        Issue.record("\(error)")
      }
    })
    #expect(try await stage.workoutSample() == nil)
    let next = try await LoneRecorder(after: stage)
    try await next.run { _ in }
    let last = try await LoneRecorder(after: next)
    try await last.run { _ in }
    #expect(try await last.workouts().count == 1)
    #expect(try await last.workoutSample()?.source.identifier == Invented.game.source)
  }

  @Test("a workout goes on in the next recorder and collects the sessions before and after, across midnight")
  func outlives() async throws {
    let stage = try await LoneRecorder()
    let first = try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...101, stage, recorder)
        let workout = try await recorder.beginWorkout(Self.running, for: Invented.game, metadata: ["a": 1])
        await Self.record(102...104, stage, recorder)
        stage.setTime(104.5)
        try await recorder.change(workout, .beginActivity(UUID(), Self.running))
      } catch {
        Issue.record("\(error)")
      }
    })
    #expect(first.map(\.notificationCount).sorted() == [2, 3])
    #expect(try await stage.workoutSample() == nil)
    let next = try await LoneRecorder(after: stage)
    next.setTime(86_500)
    try await next.run(awaiting: { recorder in
      do {
        guard let workout = await recorder.runningWorkouts.first else {
          Issue.record("it is over")
          return
        }
        #expect(workout.owner == Invented.game && workout.sensor == LoneRecorder.strap && workout.metadata == ["a": 1])
        #expect(workout.session.state == .running && workout.session.currentActivity != nil)
        for second in 0...2 {
          next.setTime(Double(86_600 + second))
          await recorder.receive(150 + second)
        }
        let figures = try await recorder.statistics(of: .heartRate, in: workout.id)
        #expect(figures.workout?.count == 6 && figures.workout?.maximum == 152 && figures.activity?.count == 3)
        try await recorder.endWorkout(workout.id, waitsForRecovery: false)
        let stored = try await recorder.stored(workout.id)
        #expect(stored.start == Self.wall(101) && stored.end == Self.wall(86_602))
        // A value of the very end is not of it.
        #expect(stored.statistics(for: .heartRate)?.count == 5)
        #expect(stored.activities.first?.statistics(for: .heartRate)?.minimum == 150)
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("one that was to end with its program ends with the recorder that was killed, at the last thing that is known")
  func killed() async throws {
    let stage = try await LoneRecorder()
    try stage.writeJournal { journal in
      let session = CaptureHeader(
        session: Invented.session(7), sensor: SensorIdentity(address: LoneRecorder.strap, name: nil), source: "test",
        request: SessionRequest(
          identifier: Invented.session(7), uid: 1000, application: "org.example.Game", endsWithClient: true))
      let workout = LiveWorkout(
        identifier: Invented.session(8), uid: 1000, application: "org.example.Game", endsWithClient: true,
        configuration: Self.running, request: Invented.session(7),
        sensor: LoneRecorder.strap)
      try journal.open(
        workout,
        records: [
          .boot(Invented.boot, at: Invented.at(90)),
          .clock(wallMinusBootMicroseconds: Invented.wallMinusBoot, at: Invented.at(90)),
          .call(.start, at: Invented.at(90)),
        ])
      try journal.open(session, events: Invented.present(90))
      for second in 91...95 {
        try journal.append(
          SensorEvent(.measurement([0x10, UInt8(second), 0, 4]), at: Invented.at(Double(second))),
          to: Invented.session(7))
      }
    }
    let isStored = Mutex(false)
    try await stage.run { recorder in
      #expect(recorder.runningWorkouts.isEmpty)
      // Its program may have been waiting for the end.
      #expect(recorder.unstoredWorkouts.map(\.id) == [Invented.session(8)])
      #expect(recorder.unstoredWorkouts.map(\.session.state) == [.ended])
      recorder.whenStored(Invented.session(8)) { failure in isStored.withLock { $0 = failure == nil } }
    }
    #expect(isStored.withLock { $0 })
    let sample = try await stage.workoutSample()
    #expect(sample?.id == Invented.session(8) && sample?.end == Self.wall(95))
  }

  @Test("a game or a second workout cuts the recovery of its sensor short, and so does the end of the recorder")
  func cutShort() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...101, stage, recorder)
        let first = try await recorder.beginWorkout(Self.running, for: Invented.game)
        await Self.record(102...104, stage, recorder)
        let end = Task { try await recorder.endWorkout(first) }
        while await recorder.runningWorkouts.first?.session.state != .stopped { await Task.yield() }
        let second = try await recorder.beginWorkout(Self.running, for: Invented.game)
        try await end.value
        await Self.record(105...107, stage, recorder)
        #expect(await recorder.runningWorkouts.map(\.id) == [second])
        let last = Task { try await recorder.endWorkout(second) }
        while await recorder.runningWorkouts.first?.session.state != .stopped { await Task.yield() }
        recorder.requestStop()
        try await last.value
      } catch {
        Issue.record("\(error)")
      }
    })
    #expect(try await stage.workouts().count == 2)
  }

  @Test("a clock that is set during a workout moves it together with its strap's values")
  func clockStep() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...101, stage, recorder)
        let workout = try await recorder.beginWorkout(Self.running, for: Invented.game)
        await Self.record(102...104, stage, recorder)
        try await recorder.change(workout, .pause)
        stage.setClock(-3_600)
        await Self.record(105...106, stage, recorder)
        try await recorder.change(workout, .resume)
        await Self.record(107...109, stage, recorder)
        try await recorder.endWorkout(workout, waitsForRecovery: false)
        let stored = try await recorder.stored(workout)
        #expect(stored.start == Self.wall(101 - 3_600) && stored.end == Self.wall(109 - 3_600))
        // Those of 102, 103, 107 and 108: what comes in the moment of a pause or of the end is not of it.
        #expect(stored.statistics(for: .heartRate)?.count == 4)
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("a rate counts once, also where other events have its instant")
  func sameInstant() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...101, stage, recorder)
        let workout = try await recorder.beginWorkout(Self.running, for: Invented.game)
        await Self.record(102...104, stage, recorder)
        for kind: SensorEvent.Kind in [.battery(percent: 80), .measurement([])] {
          await recorder.record(kind, of: LoneRecorder.strap, at: Invented.at(104))
        }
        // A stall that ended before the last value was sent is moved to it.
        await recorder.stalled(since: Invented.at(101).microseconds, until: Invented.at(103).microseconds)
        #expect(try await recorder.statistics(of: .heartRate, in: workout).workout?.count == 3)
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("the values of another strap are not the workout's")
  func otherStrap() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        await Self.record(100...101, stage, recorder)
        let workout = try await recorder.beginWorkout(Self.running, for: Invented.game)
        for second in 102...104 {
          await Self.record(second...second, stage, recorder)
          await recorder.receive(200, of: LoneRecorder.other)
        }
        #expect(try await recorder.statistics(of: .heartRate, in: workout).workout?.maximum == 104)
        let other = try await recorder.beginSession(of: LoneRecorder.other, for: Invented.game)
        try await recorder.endSession(other.request, .request)
        await recorder.commitsEnded()
        try await recorder.endWorkout(workout, waitsForRecovery: false)
        #expect(try await recorder.stored(workout).statistics(for: .heartRate)?.maximum == 103)
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("a workout that the store has is over, even where a power cut took its end from the journal")
  func storedIsOver() async throws {
    let stage = try await LoneRecorder()
    let id = Invented.session(8)
    try await stage.changeStore { store throws(StoreError) in
      guard let span = TimeSpan(start: Self.wall(90), end: Self.wall(95)),
        let sample = try? NewSample(
          Workout(id: id, Self.running, over: span),
          sync: SyncIdentity(identifier: id.uuidString.lowercased(), version: 1))
      else { return }
      _ = try store.save(
        sample, as: SourceRevision(identifier: Invented.game.source, name: Invented.game.application))
    }
    try stage.writeJournal { journal in
      try journal.open(
        LiveWorkout(
          identifier: id, uid: 1000, application: "org.example.Game", endsWithClient: false,
          configuration: Self.running),
        records: [
          .boot(Invented.boot, at: Invented.at(90)),
          .clock(wallMinusBootMicroseconds: Invented.wallMinusBoot, at: Invented.at(90)),
          .call(.start, at: Invented.at(90)),
        ])
    }
    try await stage.run { recorder in #expect(recorder.unstoredWorkouts.isEmpty) }
    #expect(try await stage.workouts().map(\.end) == [Self.wall(95)])
    #expect(try stage.segments().isEmpty)
  }

  @Test("a workout that goes on for two days ends by itself, without a recovery")
  func tooLong() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        let workout = try await recorder.beginWorkout(Self.running, of: .none, for: Invented.game)
        stage.setTime(100 + 172_799)
        await recorder.timerFired()
        #expect(await recorder.runningWorkouts.count == 1)
        stage.setTime(100 + 172_800)
        await recorder.timerFired()
        await recorder.commitsEnded()
        #expect(try await recorder.stored(workout).end == Self.wall(172_900))
      } catch {
        Issue.record("\(error)")
      }
    })
  }
}

extension Recorder {
  /// A value of the strap now, whose rate and energy are this number.
  fileprivate func receive(_ number: Int, of strap: SensorAddress = LoneRecorder.strap) {
    record(.measurement([0x18, UInt8(number), UInt8(number), 0, 0, 4]), of: strap, at: clock.now())
  }

  /// Ends a workout, and returns when it is stored. One step: a task of another thread gives others their turn at each call.
  func endWorkout(_ workout: UUID, waitsForRecovery: Bool = true) async throws(WorkoutRequestFailure) {
    let failure = await withCheckedContinuation { (wait: CheckedContinuation<WorkoutRequestFailure?, Never>) in
      do throws(WorkoutRequestFailure) {
        try stopWorkout(workout, waitsForRecovery: waitsForRecovery)
        whenStored(workout) { wait.resume(returning: $0) }
      } catch {
        wait.resume(returning: error)
      }
    }
    if let failure { throw failure }
  }

  /// Returns when a workout is stored, whoever ends it.
  func workoutStored(_ workout: UUID) async throws(WorkoutRequestFailure) {
    let failure = await withCheckedContinuation { (wait: CheckedContinuation<WorkoutRequestFailure?, Never>) in
      whenStored(workout) { wait.resume(returning: $0) }
    }
    if let failure { throw failure }
  }

  func waits(for workout: UUID) -> Int {
    (workouts.waits[workout] ?? []).count
  }

  /// Does something so many turns of the loop later, or after a workout was stopped.
  nonisolated func turn(
    _ turns: Int, after workout: UUID? = nil, _ body: @escaping @Sendable (isolated Recorder) -> Void
  ) async {
    await withCheckedContinuation { done in look(turns, workout, body) { done.resume() } }
  }

  private nonisolated func look(
    _ turns: Int, _ workout: UUID?, _ body: @escaping @Sendable (isolated Recorder) -> Void,
    _ done: @escaping @Sendable () -> Void
  ) {
    loop.execute {
      let counts = self.assumeIsolated { recorder in
        workout.map { recorder.workouts[$0]?.session.state == .stopped } ?? true
      }
      guard counts, turns == 0 else { return self.look(counts ? turns - 1 : turns, workout, body, done) }
      self.assumeIsolated { body($0) }
      done()
    }
  }

  func stored(_ workout: UUID) async throws -> Workout {
    guard let store = files?.store else { throw StoreError(.notFound, "there is no store") }
    return try await store.workout(workout)
  }

  fileprivate func save(
    _ value: Double, of type: QuantityType = .stepCount, at time: Timestamp, as client: ClientIdentity
  ) async throws -> UUID {
    guard let store = files?.store else { throw StoreError(.notFound, "there is no store") }
    var builder = QuantitySeriesBuilder(type: type, start: time)
    try builder.insert(value, from: time, to: time)
    let sample = try builder.finish()
    _ = try await store.save(sample, as: SourceRevision(identifier: client.source, name: client.application))
    return sample.id
  }

  fileprivate func closeTheStore() async {
    await files?.store.close()
  }
}
