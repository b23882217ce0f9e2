import Captures
import FoundationEssentials
import HealthModel
import Synchronization
import Testing
import Timeline

@testable import Ingestion

@Suite("The live workouts, as a value")
struct OpenWorkoutsTests {
  private static let id = Invented.session(1)
  private static let started: [WorkoutRecord] = [
    .boot(Invented.boot, at: Invented.at(100)),
    .clock(wallMinusBootMicroseconds: Invented.wallMinusBoot, at: Invented.at(100)),
    .call(.start, at: Invented.at(100)),
  ]
  /// How long a workout goes on at most: 1,000 s.
  private static let limit: Int64 = 1_000_000_000

  /// The journal of a workout that began in second 100.
  private static func contents(
    _ number: UInt8 = 1, of sensor: SensorAddress? = Invented.strap, endsWithClient: Bool = false,
    calls: [WorkoutRecord] = []
  ) -> WorkoutContents {
    var contents = WorkoutContents(
      LiveWorkout(
        identifier: Invented.session(number), uid: 1000, application: "org.example.Game",
        endsWithClient: endsWithClient, configuration: WorkoutConfiguration(.running),
        request: sensor.map { _ in Invented.session(number + 100) }, sensor: sensor))
    for record in started + calls { contents.append(record) }
    return contents
  }

  /// One workout of each number, of the strap.
  private static func running(_ numbers: UInt8...) throws -> OpenWorkouts {
    var workouts = OpenWorkouts()
    for number in numbers {
      workouts.begin(try OpenWorkout(contents(number), until: Invented.at(1_100)))
    }
    return workouts
  }

  /// The workout was stopped in second 200.
  private static func stopped(waits: Bool = true) throws -> (OpenWorkouts, OpenWorkouts.Ending?) {
    var workouts = try running(1)
    workouts.journalTook([.call(.stop, at: Invented.at(200))], of: id)
    let ending = workouts.stop(id, waits: waits, at: Invented.at(200))
    return (workouts, ending)
  }

  private static func recover(
    _ workouts: inout OpenWorkouts, _ contents: WorkoutContents, isKnown: Bool = false,
    boot: BootIdentifier = Invented.boot
  ) -> OpenWorkouts.Recovered {
    workouts.recover(
      contents, isKnown: isKnown, last: Invented.at(220), limit: limit, boot: boot,
      wallMinusBoot: Invented.wallMinusBoot, at: Invented.at(230))
  }

  @Test("a change is a call now or when its program says, but not in the future, and holds no more than is allowed")
  func changes() throws {
    let workouts = try Self.running(1)
    let open = try #require(workouts[Self.id])
    func step(_ change: WorkoutChange, at second: Double? = nil) throws(WorkoutRequestFailure) -> OpenWorkout.Step? {
      try open.step(
        of: change, at: second.map { open.time(of: Invented.at($0)) }, now: Invented.at(150), ClientDataLimits())
    }
    let named = try #require(try step(.pause, at: 120))
    #expect(named.call == .pause && named.instant == Invented.at(120) && named.isNamed)
    #expect(try workouts.records(of: named, in: Self.id) == [.call(.pause, at: Invented.at(120))])
    let now = try #require(try step(.pause))
    #expect(now.instant == Invented.at(150) && !now.isNamed)
    #expect(throws: WorkoutRequestFailure.invalidTime) { try step(.pause, at: 151.5) }
    let late = TimeSpan(at: open.time(of: Invented.at(151.5)))
    #expect(throws: WorkoutRequestFailure.invalidTime) { try step(.event(.marker, over: late)) }
    let lap = try #require(try step(.event(.lap)))
    #expect(
      lap.call
        == .event(
          type: WorkoutEventType.lap.rawValue, start: Invented.at(100), end: Invented.at(150), metadata: [:]))
    #expect(try step(.metadata(["a": 1])) == nil, "the journal has it as metadata")
    for change in [.metadata(["interrupted": 1]), .event(.lap, metadata: ["interrupted": 1])] as [WorkoutChange] {
      #expect(throws: WorkoutRequestFailure.refused(.reservedKey)) { try step(change) }
    }
    let resumed = try step(.resume)
    #expect(throws: WorkoutRequestFailure.self) { try workouts.records(of: resumed, in: Self.id) }
    #expect(throws: WorkoutRequestFailure.notOpen) { try workouts.records(of: now, in: Invented.session(9)) }
    #expect(open.unknown([Self.id, Self.id]) == [Self.id])
  }

  @Test("a workout that was stopped is over when its recovery is, and its end is to be written")
  func recovery() throws {
    var (workouts, ending) = try Self.stopped()
    #expect(ending == nil && workouts.deadline == Invented.at(265))
    #expect(workouts[Self.id]?.session.state == .stopped && !workouts.areUnderWay && workouts.use(Invented.strap))
    #expect(workouts.timeReached(Invented.at(264)).isEmpty)
    let over = workouts.timeReached(Invented.at(265))
    let end = try #require(over.first)
    #expect(end.records == [.call(.end, at: Invented.at(265))] && end.reason == .request)
    #expect(end.workout.identifier == Self.id && end.instant == Invented.at(265))
    #expect(workouts[Self.id] == nil && workouts.isOver(Self.id) && !workouts.use(Invented.strap))
    #expect(workouts.deadline == nil && workouts.timeReached(Invented.at(999)).isEmpty)
    #expect(workouts.listed(at: Invented.at(270)).isEmpty)
    #expect(workouts.listed(unstored: true, at: Invented.at(270)).map(\.session.state) == [.ended])
    _ = workouts.stored(Self.id)
    #expect(workouts.stages.isEmpty && !workouts.isOver(Self.id))
  }

  @Test("nothing is waited for where nothing is recorded, or the minute is past")
  func atOnce() throws {
    let (over, ending) = try Self.stopped(waits: false)
    #expect(ending?.reason == .request && over.isOver(Self.id))
    var (workouts, _) = try Self.stopped()
    #expect(workouts.stop(Self.id, waits: true, at: Invented.at(264)) == nil)
    #expect(workouts.stop(Self.id, waits: true, at: Invented.at(265)) != nil)
    #expect(workouts.stop(Self.id, waits: true, at: Invented.at(265)) == nil, "it is over")
    #expect(workouts.end(Self.id, .clientGone, at: Invented.at(266)) == nil)
  }

  @Test("a workout that is not stopped ends at its limit")
  func tooLong() throws {
    var workouts = try Self.running(1, 2)
    #expect(workouts.areUnderWay && workouts.deadline == Invented.at(1_100))
    #expect(workouts.timeReached(Invented.at(1_100)).map(\.workout.identifier) == [1, 2].map(Invented.session))
  }

  @Test("a recovery is cut short for its sensor alone, and what goes on stays")
  func cutShort() throws {
    var (workouts, _) = try Self.stopped()
    workouts.begin(try OpenWorkout(Self.contents(2, of: Invented.other), until: Invented.at(1_100)))
    #expect(workouts.endRecoveries(of: Invented.other, .request, at: Invented.at(210)).isEmpty)
    var stopping = workouts
    let cut = workouts.endRecoveries(of: Invented.strap, .request, at: Invented.at(210))
    #expect(cut.map(\.workout.identifier) == [Self.id])
    #expect(stopping.endRecoveries(.shutdown, at: Invented.at(210)).map(\.reason) == [.shutdown])
    #expect(stopping.listed(at: Invented.at(210)).map(\.id) == [Invented.session(2)])
    #expect(stopping.requests == [Invented.session(102)])
  }

  @Test("an end that the journal refuses is written before the workout is stored")
  func refusedEnd() throws {
    var (workouts, _) = try Self.stopped()
    let end = workouts.end(Self.id, .request, at: Invented.at(210))
    let ending = try #require(end)
    workouts.journalRefused(ending.records, of: Self.id)
    guard case .over(_, let unwritten)? = workouts.stages[Self.id] else {
      Issue.record("it is not over")
      return
    }
    #expect(unwritten == ending.records && workouts.isOver(Self.id))
    workouts.journalTookEnd(of: Self.id)
    guard case .beingStored? = workouts.stages[Self.id] else {
      Issue.record("it is not being stored")
      return
    }
  }

  @Test("records that the journal refused at the start come before any other, also before the end")
  func refusedPresence() throws {
    var workouts = OpenWorkouts()
    guard case .open(let present) = Self.recover(&workouts, Self.contents()) else {
      Issue.record("it does not go on")
      return
    }
    workouts.journalRefused(present, of: Self.id)
    let pause = WorkoutRecord.call(.pause, at: Invented.at(240))
    #expect(workouts.unwritten([pause], of: Self.id) == present + [pause])
    var ended = workouts
    #expect(ended.end(Self.id, .request, at: Invented.at(250))?.records.dropLast() == present[...])
    workouts.journalTook([pause], of: Self.id)
    #expect(workouts.unwritten([pause], of: Self.id) == [pause])
    #expect(workouts[Self.id]?.session.state == .paused)
  }

  @Test("rates belong to the workout that records their sensor, until it is stopped")
  func rates() throws {
    var (workouts, _) = try Self.stopped()
    workouts.begin(try OpenWorkout(Self.contents(2, of: Invented.other), until: Invented.at(1_100)))
    workouts.collect(60, of: Invented.strap, at: Invented.at(201))
    workouts.collect(70, of: Invented.other, at: Invented.at(201))
    workouts.collect(earlier: QuantityTrack(starts: [1], values: [50]), in: Invented.session(2))
    let values = { (workout: UUID) in workouts[workout]?.rates.track(wallMinusBoot: 0).values }
    #expect(values(Self.id) == [] && values(Invented.session(2)) == [50, 70])
  }

  @Test("a clock that is set is recorded in each workout that goes on")
  func clock() throws {
    var workouts = try Self.running(1, 2, 3)
    _ = workouts.end(Invented.session(2), .request, at: Invented.at(110))
    let offset = Invented.wallMinusBoot + 5_000_000
    let records = workouts.records(ofClock: offset, at: Invented.at(120))
    #expect(records.map(\.workout) == [1, 3].map(Invented.session))
    #expect(records.first?.record == .clock(wallMinusBootMicroseconds: offset, at: Invented.at(120)))
    for (workout, record) in records { workouts.journalTook([record], of: workout) }
    #expect(workouts.records(ofClock: offset, at: Invented.at(121)).isEmpty)
  }

  @Test("whoever waits is answered once: when it is stored, discarded, or the recorder ends")
  func waits() throws {
    let answers = Mutex<[String]>([])
    func tell(_ name: String) -> WorkoutWait {
      { failure in answers.withLock { $0.append("\(name) \(failure.map { "\($0)" } ?? "stored")") } }
    }
    var workouts = try Self.running(1, 2, 3, 4)
    workouts.wait(for: Invented.session(9), tell("unknown"))?.give()
    for number in 1...4 { #expect(workouts.wait(for: Invented.session(UInt8(number)), tell("\(number)")) == nil) }
    for number in [1, 3] { _ = workouts.end(Invented.session(UInt8(number)), .request, at: Invented.at(110)) }
    workouts.stored(Self.id).give()
    let second = workouts.discard(Invented.session(2), at: Invented.at(111))
    let discarded = try #require(second)
    #expect(discarded.ending.records.isEmpty && workouts.stages[Invented.session(2)] == nil)
    #expect(workouts.discard(Invented.session(3), at: Invented.at(111)) == nil, "it is over")
    discarded.answer.give()
    #expect(answers.withLock { $0 } == ["unknown notOpen", "1 stored", "2 discarded"])
    for answer in workouts.finish() { answer.give() }
    #expect(Set(answers.withLock { $0 }.dropFirst(3)) == ["3 notStored", "4 notRecording"])
    #expect(workouts.finish().isEmpty)
    workouts.wait(for: Invented.session(4), tell("late"))?.give()
    #expect(answers.withLock { $0.last } == "late notRecording")
  }

  @Test("a workout of an earlier recorder goes on, also with its recovery; in another boot that is over")
  func goesOn() throws {
    var workouts = OpenWorkouts()
    guard case .open(let present) = Self.recover(&workouts, Self.contents()) else {
      Issue.record("it does not go on")
      return
    }
    #expect(present == Array(Self.started.dropLast()).map { $0.moved(to: Invented.at(230)) })
    #expect(workouts.deadline == Invented.at(1_100) && workouts.areUnderWay)
    let stopped = Self.contents(calls: [.call(.stop, at: Invented.at(200))])
    _ = Self.recover(&workouts, stopped)
    #expect(workouts.deadline == Invented.at(265))
    _ = Self.recover(&workouts, stopped, boot: BootIdentifier(high: 3, low: 4))
    #expect(workouts.deadline == Invented.at(230))
  }

  @Test("a workout of an earlier recorder that does not go on is stored, with its end where it has none")
  func isOver() {
    let end = WorkoutRecord.call(.end, at: Invented.at(220))
    let ended = Self.contents(calls: [.call(.end, at: Invented.at(210))])
    let cases: [(WorkoutContents, isKnown: Bool, end: WorkoutRecord?, isListed: Bool)] = [
      (ended, false, nil, true), (ended, true, nil, false), (Self.contents(), true, end, false),
      (Self.contents(endsWithClient: true), false, end, true),
    ]
    for (contents, isKnown, end, isListed) in cases {
      var workouts = OpenWorkouts()
      #expect(Self.recover(&workouts, contents, isKnown: isKnown) == .over(end: end))
      #expect(workouts.isOver(Self.id))
      let states = workouts.listed(unstored: true, at: Invented.at(230)).map(\.session.state)
      #expect(states == (isListed ? [.ended] : []))
    }
  }
}

extension WorkoutRecord {
  /// The same boot or clock at another instant.
  fileprivate func moved(to instant: BootInstant) -> WorkoutRecord {
    switch self {
    case .boot(let boot, _): .boot(boot, at: instant)
    case .clock(let offset, _): .clock(wallMinusBootMicroseconds: offset, at: instant)
    default: self
    }
  }
}
