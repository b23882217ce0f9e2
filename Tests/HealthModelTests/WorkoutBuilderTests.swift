import FoundationEssentials
import HealthModel
import Testing

@Suite("Builder of workouts")
struct WorkoutBuilderTests {
  private let strap = DataSource(source: "sensord", device: "strap")

  private func time(_ second: Int) -> Timestamp { Timestamp(microseconds: Int64(second) * 1_000_000) }

  private func span(_ start: Int, _ end: Int) -> TimeSpan { TimeSpan(start: time(start), end: time(end))! }

  private func rates(_ rows: [(second: Int, value: Double)]) -> WorkoutSample {
    WorkoutSample(
      .quantity(.heartRate), from: strap,
      quantities: QuantityTrack(starts: rows.map { time($0.second).microseconds }, values: rows.map(\.value)))
  }

  private func amounts(_ type: QuantityType, _ rows: [(start: Int, end: Int, value: Double)]) -> WorkoutSample {
    WorkoutSample(
      .quantity(type), from: strap,
      quantities: QuantityTrack(
        starts: rows.map { time($0.start).microseconds }, ends: rows.map { time($0.end).microseconds },
        values: rows.map(\.value)))
  }

  @Test("begin, collect, end, finish: and every other order is an error that says which")
  func orders() throws {
    #expect(throws: WorkoutError.invalidLapLength) {
      try WorkoutBuilder(.init(.swimming, lapLength: Quantity(-25, .meter)))
    }
    var builder = try WorkoutBuilder(.init(.running))
    #expect(throws: WorkoutError.notBegun) { try builder.addSamples([]) }
    #expect(throws: WorkoutError.notBegun) { try builder.addEvents([]) }
    #expect(throws: WorkoutError.notBegun) { try builder.addActivity(.init(.init(.running), over: span(0, 1))) }
    #expect(throws: WorkoutError.notBegun) { try builder.endCollection(at: time(5)) }
    #expect(throws: WorkoutError.notBegun) { try builder.finishWorkout() }
    try builder.addMetadata(["shoes": "red"])
    #expect(throws: WorkoutError.timeOutOfRange) { try builder.beginCollection(at: Timestamp(microseconds: .min)) }
    try builder.beginCollection(at: time(10))
    #expect(throws: WorkoutError.alreadyBegun) { try builder.beginCollection(at: time(11)) }
    #expect(throws: WorkoutError.notEnded) { try builder.finishWorkout() }
    #expect(throws: WorkoutError.endsBeforeStart) { try builder.endCollection(at: time(9)) }
    try builder.addActivity(WorkoutActivity(.init(.running), over: span(20, 30)))
    #expect(throws: WorkoutError.activityOutside) { try builder.endCollection(at: time(29)) }
    try builder.endCollection(at: time(40))
    #expect(throws: WorkoutError.alreadyEnded) { try builder.endCollection(at: time(40)) }
    try builder.addEvents([WorkoutEvent(.marker, at: time(40))])
    #expect(throws: WorkoutError.eventOutside(.marker)) {
      try builder.addEvents([WorkoutEvent(.marker, at: time(30)), WorkoutEvent(.marker, at: time(41))])
    }
    let workout = try builder.finishWorkout()
    #expect(workout.id == builder.id && workout.span == span(10, 40) && workout.metadata == ["shoes": "red"])
    #expect(workout.events.count == 1 && workout.activities.count == 1 && workout.allStatistics.isEmpty)
    #expect(throws: WorkoutError.finished) { try builder.finishWorkout() }
    #expect(throws: WorkoutError.finished) { try builder.addSamples([]) }
    #expect(throws: WorkoutError.finished) { try builder.addMetadata([:]) }
    #expect(throws: WorkoutError.finished) { try builder.discard() }
    var other = try WorkoutBuilder(.init(.running))
    try other.discard()
    #expect(throws: WorkoutError.finished) { try other.beginCollection(at: time(0)) }
  }

  @Test("figures are those of the values from the start to before the end, without pauses")
  func figures() throws {
    var builder = try WorkoutBuilder(.init(.running))
    try builder.beginCollection(at: time(10))
    try builder.addSamples([
      rates([(9, 200), (10, 100), (14, 120), (20, 190), (25, 195), (30, 185), (31, 140), (40, 60)]),
      amounts(.distanceWalkingRunning, [(0, 20, 200), (20, 40, 200)]),
    ])
    try builder.addEvents([WorkoutEvent(.pause, at: time(20)), WorkoutEvent(.resume, at: time(30))])
    try builder.addActivity(WorkoutActivity(.init(.running), over: span(12, 18)))
    #expect(builder.elapsedTime(at: time(25)) == .seconds(10) && builder.elapsedTime(at: time(35)) == .seconds(15))
    // 9 is before the start, 20 to 30 are in the pause, both ends included; 40 still counts as long as nobody knows the end.
    #expect(builder.statistics(for: .heartRate)?.count == 4)
    try builder.endCollection(at: time(40))
    #expect(builder.elapsedTime(at: time(60)) == .seconds(20), "what is after the end does not count")
    let workout = try builder.finishWorkout()
    #expect(
      workout.statistics(for: .heartRate)
        == WorkoutStatistics(
          .heartRate, count: 3, average: 120, minimum: 100, maximum: 140, mostRecent: 140,
          mostRecentSpan: TimeSpan(at: time(31))))
    // Half of the first, and what of the second is behind the pause.
    #expect(workout.statistics(for: .distanceWalkingRunning)?.sum == 200)
    #expect(workout.statistics(for: .distanceWalkingRunning)?.quantity(.sum) == Quantity(200, .meter))
    #expect(workout.activities[0].statistics(for: .heartRate)?.average == 120)
    #expect(workout.activities[0].statistics(for: .distanceWalkingRunning)?.sum == 60)
    #expect(workout.statistics(for: .stepCount) == nil)
    #expect(workout.duration == .seconds(20))
  }

  @Test("as long as nobody knows the end, a value counts to its own end; samples may come in any order")
  func open() throws {
    var builder = try WorkoutBuilder(.init(.running))
    try builder.beginCollection(at: time(0))
    try builder.addSamples([amounts(.distanceWalkingRunning, [(10, 20, 30)])])
    #expect(builder.statistics(for: .distanceWalkingRunning)?.sum == 30)
    try builder.addSamples([amounts(.distanceWalkingRunning, [(0, 5, 7)])])
    let rate = rates([(8, 120)])
    try builder.addSamples([rates([(15, 140)]), rate])
    #expect(builder.statistics(for: .distanceWalkingRunning)?.sum == 37)
    #expect(builder.statistics(for: .heartRate)?.mostRecent == 140)
    try builder.endCollection(at: time(20))
    let workout = try builder.finishWorkout()
    #expect(workout.statistics(for: .distanceWalkingRunning)?.mostRecent == 30)
    #expect(workout.statistics(for: .heartRate)?.mostRecentSpan == TimeSpan(at: time(15)))
  }

  @Test("two sources that measured at the same time are merged, and a sample that comes again replaces itself")
  func sources() throws {
    var builder = try WorkoutBuilder(.init(.running))
    try builder.beginCollection(at: time(0))
    let first = amounts(.stepCount, [(0, 10, 20)])
    var second = amounts(.stepCount, [(0, 20, 100)])
    second.source = DataSource(source: "phone")
    try builder.addSamples([first, second])
    try builder.addSamples([second])
    try builder.endCollection(at: time(20))
    // The strap's ten seconds, and of the phone what lies behind them.
    #expect(try builder.finishWorkout().statistics(for: .stepCount)?.sum == 70)
  }

  @Test("each lap and segment of a swim has its SWOLF score: strokes and seconds, without pauses")
  func swolf() throws {
    var builder = try WorkoutBuilder(.init(.swimBikeRun))
    try builder.beginCollection(at: time(0))
    try builder.addActivity(WorkoutActivity(.init(.swimming), over: span(0, 100)))
    try builder.addActivity(
      WorkoutActivity(
        .init(.running), over: span(100, 200), events: [WorkoutEvent(.lap, over: span(100, 150))]))
    let strokes: [(start: Int, end: Int, value: Double)] = [
      (0, 30, 15), (30, 60, 18), (60, 70, 0), (70, 100, 9), (100, 150, 99),
    ]
    try builder.addSamples([amounts(.swimmingStrokeCount, strokes)])
    try builder.addEvents([
      WorkoutEvent(.lap, over: span(0, 30)), WorkoutEvent(.lap, over: span(30, 60)),
      WorkoutEvent(.segment, over: span(0, 60)), WorkoutEvent(.marker, at: time(40)),
      WorkoutEvent(.segment, over: span(80, 120)),
      WorkoutEvent(.lap, over: span(60, 70)),
      WorkoutEvent(.lap, over: span(70, 100), metadata: [WorkoutEvent.swolfScoreKey: 7]),
      WorkoutEvent(.pause, at: time(40)), WorkoutEvent(.resume, at: time(45)),
    ])
    try builder.endCollection(at: time(200))
    let workout = try builder.finishWorkout()
    func scores(_ events: [WorkoutEvent]) -> [MetadataValue?] { events.map { $0.metadata["SWOLFScore"] } }
    func score(_ value: Double) -> MetadataValue { .quantity(Quantity(value, .count)) }
    // In order: the two that begin at 0, the second lap (15 of its 18 strokes), the pause's two and the marker, the lap without a
    // stroke, and the one whose score was given.
    #expect(scores(workout.events.filter { $0.type == .lap }) == [score(45), score(40), nil, 7])
    // The second segment goes on when the swim is over.
    #expect(scores(workout.events.filter { $0.type == .segment }) == [score(85), nil])
    #expect(scores(workout.events.filter { ![.lap, .segment].contains($0.type) }).allSatisfy { $0 == nil })
    #expect(scores(workout.activities[1].events) == [nil])
  }
}
