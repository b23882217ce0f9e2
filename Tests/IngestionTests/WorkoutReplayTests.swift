import Captures
import FoundationEssentials
import HealthModel
import Testing
import Timeline

@testable import Ingestion

@Suite("A live workout that is repeated from its records")
struct WorkoutReplayTests {
  private static let running = WorkoutConfiguration(.running)

  /// A workout that began with these records, in boot 2 at 0 s.
  private static func contents(_ records: [WorkoutRecord], clock: Int64 = Invented.wallMinusBoot) -> WorkoutContents {
    var contents = WorkoutContents(
      LiveWorkout(
        identifier: Invented.session(9), uid: 1000, application: "org.example.Game", endsWithClient: false,
        configuration: running))
    contents.append(.boot(Invented.boot, at: Invented.at(0)))
    contents.append(.clock(wallMinusBootMicroseconds: clock, at: Invented.at(0)))
    for record in records { contents.append(record) }
    return contents
  }

  private static func wall(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: Invented.at(seconds).microseconds + Invented.wallMinusBoot)
  }

  @Test("the calls make the same session, with the same activities and events")
  func same() throws {
    let replay = try WorkoutReplay(
      Self.contents([
        .call(.start, at: Invented.at(1)),
        .call(.beginActivity(Invented.session(1), Self.running, metadata: ["lane": .integer(2)]), at: Invented.at(2)),
        .call(.event(type: 3, start: Invented.at(2), end: Invented.at(4), metadata: [:]), at: Invented.at(5)),
        .call(.pause, at: Invented.at(6)), .call(.resume, at: Invented.at(8)),
        .call(.endActivity, at: Invented.at(9)), .call(.stop, at: Invented.at(10)), .call(.end, at: Invented.at(75)),
      ]))
    var plain = try WorkoutSession(WorkoutConfiguration(.running), id: Invented.session(9))
    try plain.startActivity(at: Self.wall(1))
    try plain.beginNewActivity(
      WorkoutConfiguration(.running), at: Self.wall(2), metadata: ["lane": 2], id: Invented.session(1))
    try plain.addEvent(WorkoutEvent(.lap, over: TimeSpan(start: Self.wall(2), end: Self.wall(4))!), at: Self.wall(5))
    try plain.pause(at: Self.wall(6))
    try plain.resume(at: Self.wall(8))
    try plain.endCurrentActivity(on: Self.wall(9))
    try plain.stopActivity(at: Self.wall(10))
    try plain.end(at: Self.wall(75))
    #expect(replay.session == plain && replay.refused == 0)
    #expect(replay.session.end == Self.wall(10))
  }

  @Test("a clock that is set moves all calls of its boot, as it does the values of a session")
  func clockStep() throws {
    let hour: Int64 = 3_600_000_000
    let replay = try WorkoutReplay(
      Self.contents([
        .call(.start, at: Invented.at(1)), .call(.pause, at: Invented.at(2)),
        .clock(wallMinusBootMicroseconds: Invented.wallMinusBoot - hour, at: Invented.at(3)),
        .call(.resume, at: Invented.at(4)), .call(.end, at: Invented.at(5)),
      ]))
    #expect(replay.session.start == Self.wall(1).advanced(byMicroseconds: -hour))
    #expect(replay.session.events.map(\.span.start) == [2, 4].map { Self.wall($0).advanced(byMicroseconds: -hour) })
    #expect(replay.refused == 0)
  }

  @Test("a reboot with a clock of 1970 that is corrected later leaves both boots where they were")
  func reboot() throws {
    let second = BootIdentifier(high: 1, low: 3)
    let records: [WorkoutRecord] = [
      .call(.start, at: Invented.at(1)), .boot(second, at: BootInstant(microseconds: 5_000_000)),
      .clock(wallMinusBootMicroseconds: 0, at: BootInstant(microseconds: 5_000_000)),
      .call(.pause, at: BootInstant(microseconds: 6_000_000)),
    ]
    // Before the correction nothing goes back.
    #expect(try WorkoutReplay(Self.contents(records)).session.events.map(\.span.start) == [Self.wall(1)])
    let offset = Self.wall(100).microseconds
    let corrected = try WorkoutReplay(
      Self.contents(
        records + [
          .clock(wallMinusBootMicroseconds: offset, at: BootInstant(microseconds: 7_000_000)),
          .call(.end, at: BootInstant(microseconds: 8_000_000)),
        ]))
    #expect(corrected.session.start == Self.wall(1))
    #expect(corrected.session.events.map(\.span.start) == [Self.wall(106)])
    #expect(corrected.session.end == Self.wall(108))
  }

  @Test("what was accepted before the clocks of two boots moved against each other stays, where the workout is then")
  func fitted() throws {
    let second = BootIdentifier(high: 1, low: 3)
    func at(_ seconds: Int64) -> BootInstant { BootInstant(microseconds: seconds * 1_000_000) }
    let replay = try WorkoutReplay(
      Self.contents([
        .call(.start, at: Invented.at(100)),
        .call(.event(type: 3, start: Invented.at(100), end: Invented.at(110), metadata: [:]), at: Invented.at(110)),
        // The second boot's clock is found to be a minute behind the first's.
        .boot(second, at: at(0)),
        .clock(wallMinusBootMicroseconds: Self.wall(50).microseconds, at: at(0)),
        .call(.event(type: 3, start: at(0), end: at(5), metadata: [:]), at: at(5)),
        .call(.event(type: 4, start: at(6), end: at(6), metadata: [:]), at: at(6)), .call(.end, at: at(70)),
      ]))
    #expect(replay.refused == 0)
    #expect(replay.session.events.map(\.type) == [.lap, .lap, .marker])
    #expect(replay.session.events.map(\.span.end) == [110, 100, 100].map { Self.wall($0) })
    #expect(replay.session.end == Self.wall(120))
  }

  @Test("what damage took from the middle is left out, and a workout without its start begins with what is there")
  func damaged() throws {
    let replay = try WorkoutReplay(
      Self.contents([
        .call(.pause, at: Invented.at(2)), .call(.endActivity, at: Invented.at(3)), .call(.resume, at: Invented.at(4)),
        .call(.stop, at: Invented.at(5)),
      ]))
    #expect(replay.session.start == Self.wall(2) && replay.session.end == Self.wall(5))
    #expect(replay.refused == 1)
  }

  @Test("a call is tried before it is kept, and one that was refused changes nothing")
  func tried() throws {
    var open = try OpenWorkout(Self.contents([.call(.start, at: Invented.at(1))]), until: Invented.at(1_000))
    #expect(throws: WorkoutError.notPossible(in: .running)) { try open.record(of: .resume, at: Invented.at(2)) }
    #expect(throws: WorkoutError.timeGoesBack) { try open.record(of: .pause, at: Invented.at(0), isNamed: true) }
    // What nobody named is not refused for a clock that goes back.
    let pause = try open.record(of: .pause, at: Invented.at(0))
    #expect(open.session.state == .running)
    open.journalTook([pause])
    #expect(open.session.state == .paused && open.session.events.map(\.span.start) == [Self.wall(1)])
  }

  @Test("live figures leave pauses out, and those of the activity begin with it")
  func figures() throws {
    var open = try OpenWorkout(
      Self.contents([
        .call(.start, at: Invented.at(0)), .call(.pause, at: Invented.at(10)), .call(.resume, at: Invented.at(20)),
        .call(.beginActivity(Invented.session(1), Self.running, metadata: [:]), at: Invented.at(30)),
      ]), until: Invented.at(1_000))
    #expect(open.figures(of: .heartRate, with: [], at: Invented.at(40)) == LiveWorkoutFigures())
    var contents = open.contents
    contents.workout.sensor = Invented.strap
    open = try OpenWorkout(contents, until: Invented.at(1_000))
    for (second, rate) in [(5, 100), (15, 200), (25, 120), (35, 140)] as [(Double, UInt16)] {
      open.rates.append(rate, at: Invented.at(second))
    }
    let figures = open.figures(of: .heartRate, with: [], at: Invented.at(35))
    #expect(figures.workout?.count == 3 && figures.workout?.maximum == 140 && figures.workout?.minimum == 100)
    #expect(figures.activity?.count == 1 && figures.activity?.average == 140)
    #expect(open.figures(of: .bodyMass, with: [], at: Invented.at(35)) == LiveWorkoutFigures())
  }
}
