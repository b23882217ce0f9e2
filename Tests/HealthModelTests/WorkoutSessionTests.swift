import FoundationEssentials
import HealthModel
import Testing

@Suite("Sessions of workouts")
struct WorkoutSessionTests {
  private typealias State = WorkoutSession.State

  private func time(_ second: Int) -> Timestamp { Timestamp(microseconds: Int64(second) * 1_000_000) }

  private func span(_ start: Int, _ end: Int) -> TimeSpan { TimeSpan(start: time(start), end: time(end))! }

  private func started(_ type: WorkoutActivityType = .swimBikeRun) throws -> WorkoutSession {
    var session = try WorkoutSession(.init(type))
    try session.startActivity(at: time(0))
    return session
  }

  /// Sessions in each state, at second 10.
  private func inState(_ state: State) throws -> WorkoutSession {
    var session = try WorkoutSession(.init(.running))
    switch state {
    case .notStarted: break
    case .prepared: try session.prepare(at: time(10))
    case .running: try session.startActivity(at: time(10))
    case .paused:
      try session.startActivity(at: time(10))
      try session.pause(at: time(10))
    case .stopped:
      try session.startActivity(at: time(10))
      try session.stopActivity(at: time(10))
    case .ended: try session.end(at: time(10))
    }
    return session
  }

  @Test("what may follow what: every call in every state")
  func transitions() throws {
    #expect(State.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
    let calls: [(name: String, from: Set<State>, to: State?, call: (inout WorkoutSession, Timestamp) throws -> Void)] =
      [
        ("prepare", [.notStarted], .prepared, { try $0.prepare(at: $1) }),
        ("start", [.notStarted, .prepared], .running, { try $0.startActivity(at: $1) }),
        ("pause", [.running], .paused, { try $0.pause(at: $1) }),
        ("resume", [.paused], .running, { try $0.resume(at: $1) }),
        ("begin", [.running, .paused], nil, { try $0.beginNewActivity(.init(.running), at: $1) }),
        ("event", [.running, .paused], nil, { try $0.addEvent(WorkoutEvent(.marker, at: $1), at: $1) }),
        ("stop", [.running, .paused], .stopped, { try $0.stopActivity(at: $1) }),
        (
          "end", [.notStarted, .prepared, .running, .paused, .stopped], .ended,
          { (session: inout WorkoutSession, time: Timestamp) in try session.end(at: time) }
        ),
      ]
    for state in State.allCases {
      for call in calls {
        var session = try inState(state)
        let before = session
        if call.from.contains(state) {
          try call.call(&session, time(20))
          #expect(session.state == call.to ?? state, "\(call.name) in \(state)")
        } else {
          #expect(throws: WorkoutError.notPossible(in: state), "\(call.name) in \(state)") {
            try call.call(&session, time(20))
          }
          #expect(session == before)
        }
      }
    }
  }

  @Test("a new activity ends the one before, and stopping ends the last; what follows belongs to the session only")
  func activities() throws {
    var session = try started()
    try session.beginNewActivity(.init(.swimming), at: time(5), metadata: ["sea": "calm"])
    try session.beginNewActivity(.init(.transition), at: time(20))
    #expect(session.currentActivity?.configuration.activityType == .transition)
    try session.endCurrentActivity(on: time(25))
    #expect(throws: WorkoutError.noActivity) { try session.endCurrentActivity(on: time(26)) }
    try session.beginNewActivity(.init(.running), at: time(30))
    try session.stopActivity(at: time(40))
    try session.end(at: time(105))
    #expect(session.activities.map(\.span) == [span(5, 20), span(20, 25), span(30, 40)])
    #expect(session.activities[0].metadata == ["sea": "calm"])
    #expect(session.start == time(0) && session.end == time(40) && session.elapsedTime(at: time(105)) == .seconds(40))
    var builder = try WorkoutBuilder(of: session)
    let workout = try builder.finishWorkout()
    #expect(workout.id == session.id && workout.span == span(0, 40) && workout.activities == session.activities)
  }

  @Test("what is refused changes nothing")
  func refusals() throws {
    var session = try started()
    let swim = UUID()
    try session.beginNewActivity(.init(.swimming), at: time(10), id: swim)
    let before = session
    #expect(throws: WorkoutError.timeGoesBack) { try session.pause(at: time(9)) }
    #expect(throws: WorkoutError.timeOutOfRange) { try session.pause(at: Timestamp(microseconds: .max)) }
    #expect(throws: WorkoutError.activityType(.yoga, in: .swimBikeRun)) {
      try session.beginNewActivity(.init(.yoga), at: time(20))
    }
    #expect(throws: WorkoutError.activityTwice) {
      try session.beginNewActivity(.init(.running), at: time(20), id: swim)
    }
    #expect(throws: WorkoutError.invalidLapLength) {
      try session.beginNewActivity(.init(.swimming, lapLength: Quantity(1, .second)), at: time(20))
    }
    #expect(throws: WorkoutError.eventOfSession(.pause)) {
      try session.addEvent(WorkoutEvent(.pause, at: time(20)), at: time(20))
    }
    #expect(throws: WorkoutError.unknownEvent(.init(rawValue: 0))) {
      try session.addEvent(WorkoutEvent(.init(rawValue: 0), at: time(20)), at: time(20))
    }
    #expect(throws: WorkoutError.eventOutside(.lap)) {
      try session.addEvent(WorkoutEvent(.lap, over: span(10, 21)), at: time(20))
    }
    #expect(session == before)
    var later = session
    try later.endCurrentActivity(on: time(20))
    #expect(throws: WorkoutError.activityTwice) {
      try later.beginNewActivity(.init(.running), at: time(20), id: swim)
    }
    try session.addEvent(WorkoutEvent(.lap, over: span(10, 20)), at: time(20))
    #expect(throws: WorkoutError.lapsOverlap) {
      try session.addEvent(WorkoutEvent(.lap, over: span(19, 25)), at: time(30))
    }
    #expect(throws: WorkoutError.notBegun) { try WorkoutBuilder(of: try WorkoutSession(.init(.running))) }
  }

  @Test("an event belongs to the activity in which it lies, and pauses belong to the workout")
  func events() throws {
    var session = try started()
    try session.addEvent(WorkoutEvent(.marker, at: time(1)), at: time(2))
    try session.beginNewActivity(.init(.swimming), at: time(10))
    try session.addEvent(WorkoutEvent(.lap, over: span(10, 20)), at: time(20))
    try session.addEvent(WorkoutEvent(.segment, over: span(5, 20)), at: time(20))
    try session.addEvent(WorkoutEvent(.motionPaused, at: time(21)), at: time(21))
    try session.pause(at: time(22))
    try session.beginNewActivity(.init(.transition), at: time(30))
    try session.resume(at: time(32))
    try session.addEvent(WorkoutEvent(.motionResumed, at: time(33)), at: time(33))
    #expect(session.elapsedTime(at: time(40)) == .seconds(28))
    try session.end(at: time(40))
    #expect(session.activities.map { $0.events.map(\.type) } == [[.lap], []])
    #expect(
      session.events.map(\.type) == [.marker, .segment, .motionPaused, .pause, .resume, .motionResumed])
    var builder = try WorkoutBuilder(of: session)
    let workout = try builder.finishWorkout()
    #expect(
      workout.duration == .seconds(28) && workout.activities.map(workout.duration) == [.seconds(11), .seconds(7)])
  }

  @Test("there is room for as many events and activities as a workout may have")
  func limits() throws {
    var session = try started(.running)
    for _ in 0..<1000 { try session.beginNewActivity(.init(.running), at: time(1)) }
    #expect(throws: WorkoutError.tooManyActivities(limit: 1000)) {
      try session.beginNewActivity(.init(.running), at: time(1))
    }
    for _ in 0..<5000 {
      try session.pause(at: time(2))
      try session.resume(at: time(2))
    }
    #expect(throws: WorkoutError.tooManyEvents(limit: 10_000)) { try session.pause(at: time(3)) }
    #expect(throws: WorkoutError.tooManyEvents(limit: 10_000)) {
      try session.addEvent(WorkoutEvent(.marker, at: time(3)), at: time(3))
    }
    try session.end(at: time(4))
    var builder = try WorkoutBuilder(of: session)
    #expect(try builder.finishWorkout().activities.count == 1000)
  }
}
