import DBus
import Door
import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing

@testable import SensordClient

@Suite("Live workouts of a client", .timeLimit(.minutes(5)))
struct WorkoutTests {
  private static let race = WorkoutConfiguration(.swimBikeRun, location: .outdoor)
  private static let types = ["workout", "heartRate", "heartbeatSeries", "distanceSwimming", "stepCount"]

  /// A recorder whose strap sends, and a program that may do everything with workouts.
  private func stage() async throws -> (DoorStage, SensordClient) {
    let stage = try await DoorStage()
    try await stage.connect().decide(share: Self.types, read: Self.types)
    stage.send([0x16, 60, 0, 4])
    return (stage, try await stage.client())
  }

  /// The workout of an identifier, as a file has it.
  private func stored(_ id: UUID, in stage: DoorStage) async throws -> Workout {
    let file = try HealthStore.open(stage.store, for: .reading)
    let workout = try await file.workout(id)
    await file.close()
    return workout
  }

  @Test("a race is stored with its activities, laps, marks and metadata, and with the heart of each")
  func wholeRace() async throws {
    let (stage, client) = try await stage()
    let race = try await client.startWorkout(Self.race, metadata: ["title": "Club race"])
    #expect(race.sensor == "\(DoorStage.strap)")
    #expect(try await race.state() == .running)
    let swim = WorkoutConfiguration(.swimming, swimmingLocation: .openWater, lapLength: Quantity(500, .meter))
    let first = try await race.beginNewActivity(swim, at: race.start, metadata: ["leg": 1])
    for rate in 100..<110 { stage.send([0x16, UInt8(rate), 0, 4]) }
    try await race.addEvent(.lap)
    try await race.addEvent(.marker, metadata: ["title": "Buoy"])
    try await race.beginNewActivity(WorkoutConfiguration(.transition))
    try await race.addMetadata(["place": 12])
    for rate in 120..<130 { stage.send([0x16, UInt8(rate), 0, 4]) }
    let heart = try await race.statistics(for: .heartRate)
    #expect(heart.workout?.maximum == 129 && heart.workout?.minimum == 100)
    #expect(heart.activity?.minimum == 120, "the activity under way alone")
    #expect(heart.activityType == .swimBikeRun && heart.currentActivityType == .transition)
    #expect(try await race.elapsedTime() > .zero)
    try await race.endCurrentActivity()
    #expect(try await race.statistics(for: .heartRate).currentActivityType == nil)
    let id = try await race.end(recovery: false)
    #expect(id == race.id)
    await #expect(throws: ClientError.ended) { try await race.pause() }
    await #expect(throws: ClientError.ended) { try await race.end() }

    let workout = try await stored(id, in: stage)
    #expect(workout.configuration == Self.race)
    #expect(workout.metadata["title"] == "Club race" && workout.metadata["place"] == 12)
    #expect(workout.activities.map(\.configuration.activityType) == [.swimming, .transition])
    #expect(workout.activities.first?.id == first && workout.activities.first?.configuration == swim)
    #expect(workout.activities.first?.start == workout.start && workout.activities.first?.metadata == ["leg": 1])
    #expect(workout.activities.first?.events.map(\.type) == [.lap, .marker])
    #expect(workout.activities.first?.events.first?.span.start == workout.start, "a lap begins at the start")
    #expect(workout.activities.map { $0.statistics(for: .heartRate)?.minimum } == [100, 120])
    #expect(workout.statistics(for: .heartRate)?.maximum == 129)
    await client.close()
    await stage.end()
  }

  @Test("what a workout does not take is told, and changes nothing")
  func refusals() async throws {
    let (stage, client) = try await stage()
    func refused(_ word: String, _ body: () async throws -> Void) async {
      do {
        try await body()
        Issue.record("\(word) was taken")
      } catch {
        switch error as? ClientError {
        case .invalidState(let text), .invalidArgument(let text), .invalidSample(let text):
          #expect(!text.isEmpty && !text.contains("150"), "\(text)")
        default: Issue.record("\(word): \(error)")
        }
      }
    }
    await refused("a lap of 50 km") {
      _ = try await client.startWorkout(WorkoutConfiguration(.running, lapLength: Quantity(50, Unit("km")!)))
    }
    let run = try await client.startWorkout(WorkoutConfiguration(.running))
    await #expect(throws: ClientError.busy) { try await client.startWorkout(WorkoutConfiguration(.yoga)) }
    await refused("a swim in a run") { try await run.beginNewActivity(WorkoutConfiguration(.swimming)) }
    await refused("the end of no activity") { try await run.endCurrentActivity() }
    await refused("an activity before the start") {
      try await run.beginNewActivity(at: run.start.advanced(by: .seconds(-5)))
    }
    await refused("a pause as an event") { try await run.addEvent(.pause) }
    await refused("resume while it runs") { try await run.resume() }
    try await run.pause()
    #expect(try await run.state() == .paused)
    await refused("pause while it is paused") { try await run.pause() }
    try await run.resume()
    await #expect(throws: ClientError.unknownType) {
      try await run.statistics(for: QuantityType("org.example.mood", unit: .count, style: .cumulative))
    }
    try await run.end(recovery: false)
    let workout = try await stored(run.id, in: stage)
    #expect(workout.events.map(\.type) == [.pause, .resume] && workout.activities.isEmpty)
    await client.close()
    await stage.end()
  }

  @Test("samples of the program are collected: those that are added, and what it saves of types that are switched on")
  func samples() async throws {
    let (stage, client) = try await stage()
    let run = try await client.startWorkout(WorkoutConfiguration(.running), sensor: .none)
    #expect(run.sensor == nil)
    func steps(_ count: Double) -> SampleDraft {
      SampleDraft(.stepCount, Quantity(count, .count), over: TimeSpan(at: run.start.advanced(by: .microseconds(1))))
    }
    let added = try await run.addSamples([steps(10), steps(5)])
    #expect(added.count == 2)
    try await client.save(steps(100))
    try await run.enableCollection(for: [.quantity(.stepCount)])
    let collected = try await client.save(steps(20))
    try await run.disableCollection(for: [.quantity(.stepCount)])
    try await client.save(steps(200))
    #expect(try await run.statistics(for: .stepCount).workout?.sum == 35)
    #expect(try await run.statistics(for: .heartRate).workout == nil)
    let id = try await run.end()
    let found = try await SampleQuery(.collected(in: id)).result(for: client)
    #expect(Set(found.map(\.id)) == Set(added + [collected]))
    #expect(try await stored(id, in: stage).statistics(for: .stepCount)?.sum == 35)
    await client.close()
    await stage.end()
  }

  @Test("the end waits for the recovery, and another call of it may cut that short for both")
  func recovery() async throws {
    let (stage, client) = try await stage()
    let run = try await client.startWorkout(WorkoutConfiguration(.running))
    let waiting = Task { try await run.end() }
    while try await run.state() != .recovering { await Task.yield() }
    let again = Task { try await run.end() }
    again.cancel()
    await #expect(throws: ClientError.cancelled) { try await again.value }
    #expect(try await run.state() == .recovering, "who waits no more ends nothing")
    #expect(try await run.end(recovery: false) == run.id)
    #expect(try await waiting.value == run.id)
    _ = try await stored(run.id, in: stage)
    await client.close()
    await stage.end()
  }

  @Test("a workout that is to outlive its program is found by the next run of it, and by no other program")
  func afterRestart() async throws {
    let (stage, client) = try await stage()
    let run = try await client.startWorkout(WorkoutConfiguration(.running), endsWithClient: false)
    let walk = try await client.startWorkout(WorkoutConfiguration(.walking), sensor: .none, endsWithClient: false)
    await client.close()
    let again = try await stage.client()
    #expect(try await again.workouts() == [run, walk])
    let other = try await stage.client("org.example.Other")
    #expect(try await other.workouts().isEmpty)
    await #expect(throws: ClientError.ended) { try await other.workout(run.id) }
    let found = try await again.workout(run.id)
    #expect(found.start == run.start)
    try await found.end(recovery: false)
    for workout in try await again.workouts() { try await workout.discard() }
    #expect(try await again.workouts().isEmpty)
    await #expect(throws: ClientError.ended) { try await again.workout(walk.id) }
    #expect(try await SampleQuery(.identifier([walk.id])).result(for: again).isEmpty)
    await other.close()
    await again.close()
    await stage.end()
  }

  @Test("a workout that is discarded while its end is waited for has ended, and is not stored")
  func discarded() async throws {
    let (stage, client) = try await stage()
    let run = try await client.startWorkout(WorkoutConfiguration(.running))
    let waiting = Task { try await run.end() }
    while try await run.state() != .recovering { await Task.yield() }
    let other = try await stage.client()
    try await other.workout(run.id).discard()
    await #expect(throws: ClientError.ended) { try await waiting.value }
    await #expect(throws: ClientError.ended) { try await run.end() }
    await #expect(throws: ClientError.ended) { try await WorkoutEnd(of: run).stored(until: 0) }
    await other.close()
    await client.close()
    await stage.end()
  }

  @Test("the end of a workout is learnt from the store where the bus was lost meanwhile")
  func lostBus() async throws {
    let (stage, client) = try await stage()
    let run = try await client.startWorkout(WorkoutConfiguration(.running), endsWithClient: false)
    let waiting = Task { try await run.end() }
    while try await run.state() != .recovering { await Task.yield() }
    let other = try await stage.client()
    let found = try await other.workout(run.id)
    // The signal goes to a connection that is gone.
    await client.link.dropConnection()
    try await found.end(recovery: false)
    #expect(try await waiting.value == run.id)
    #expect(try await WorkoutEnd(of: run).stored(until: 0) == run.id, "also where the signal went to nobody")
    await other.close()
    await client.close()
    await stage.end()
  }

  @Test("who waits for the end goes on waiting when the bus has restarted, and is told by it")
  func restartedBus() async throws {
    let (stage, client) = try await stage()
    let run = try await client.startWorkout(WorkoutConfiguration(.running), endsWithClient: false)
    let waiting = Task { try await run.end() }
    while try await run.state() != .recovering { await Task.yield() }
    stage.bus.kill()
    try stage.bus.start()
    await stage.log.wait(after: 1) { $0.contains("open to other programs") }
    let other = try await stage.client()
    #expect(try await other.workout(run.id).state() == .recovering, "it goes on")
    // Either it is back and gets the signal, or it comes back later and finds the workout in the store.
    try await other.workout(run.id).end(recovery: false)
    #expect(try await waiting.value == run.id)
    _ = try await stored(run.id, in: stage)
    await other.close()
    await client.close()
    await stage.end()
  }

  @Test("who waits for the end learns that it is stored where the recorder ends and another takes its place")
  func restartedRecorder() async throws {
    let (stage, client) = try await stage()
    let run = try await client.startWorkout(WorkoutConfiguration(.running), endsWithClient: false)
    let waiting = Task { try await run.end() }
    while try await run.state() != .recovering { await Task.yield() }
    // What it would have been told is lost.
    await client.link.dropConnection()
    await stage.end()
    await #expect(throws: ClientError.notRunning) { try await WorkoutEnd(of: run).stored(until: 0) }
    let asking = Task { try await WorkoutEnd(of: run).stored(until: .max) }
    let next = try await DoorStage(on: stage.bus, after: stage)
    #expect(try await waiting.value == run.id)
    #expect(try await asking.value == run.id, "also who asks the store while no recorder is there")
    #expect(try await stored(run.id, in: next).id == run.id)
    await client.close()
    await next.end()
  }

  @Test("without permission no workout begins")
  func permission() async throws {
    let stage = try await DoorStage()
    let client = try await stage.client()
    await #expect(throws: ClientError.notAuthorized) {
      try await client.startWorkout(WorkoutConfiguration(.running), sensor: .none)
    }
    await client.close()
    await stage.end()
  }
}
