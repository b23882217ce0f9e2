import Captures
package import FoundationEssentials
package import HealthModel
import Timeline

/// A live workout while it goes on: what the journal has of it, and what follows from that.
///
/// Pure. A call is tried first, then journalled, then applied; so every answered call can be repeated from the journal.
struct OpenWorkout {
  /// For how long a session goes on after its workout, in microseconds: the heart rate a minute later is a mean over 5 s, and
  /// values arrive late.
  static let recovery: Int64 = 65_000_000

  /// The contents of the journal.
  private(set) var contents: WorkoutContents
  /// The same as a workout.
  private(set) var replay: WorkoutReplay
  /// The rates that its sensor has sent since it began.
  var rates = WorkoutRates()
  /// When it ends by itself.
  let deadline: BootInstant
  /// Records that the journal refused at the recorder's start, and needs before any other: the present boot and clock.
  var owed: [WorkoutRecord] = []

  /// Throws ``HealthModel/WorkoutError`` where there cannot be such a workout.
  init(_ contents: WorkoutContents, until deadline: BootInstant) throws(WorkoutError) {
    self.contents = contents
    self.deadline = deadline
    replay = try WorkoutReplay(contents)
  }

  var session: WorkoutSession { replay.session }
  var owner: ClientIdentity { ClientIdentity(uid: contents.workout.uid, application: contents.workout.application) }
  var metadata: Metadata { contents.metadata.stored }
  /// The wall clock minus the boot clock, from which its times are computed.
  var wallMinusBoot: Int64 { contents.wallMinusBootMicroseconds ?? 0 }

  /// When its recovery is over; nil before it was stopped.
  var endOfRecovery: BootInstant? {
    session.end.map { instant(of: $0).advanced(byMicroseconds: Self.recovery) }
  }

  /// Whether it has neither stopped nor ended.
  var isUnderWay: Bool { session.state == .running || session.state == .paused }

  /// The instant of a time that a program names.
  func instant(of time: Timestamp) -> BootInstant {
    BootInstant(microseconds: time.microseconds.subtractingSaturated(wallMinusBoot))
  }

  /// The time of an instant.
  func time(of instant: BootInstant) -> Timestamp { instant.timestamp(wallMinusBoot: wallMinusBoot) }

  /// Makes the journal's record of a wall clock that has been set or slewed; nil if it has not.
  func record(ofClock offset: Int64, at now: BootInstant) -> WorkoutRecord? {
    guard abs(offset.subtractingSaturated(wallMinusBoot)) > 1_000 else { return nil }
    return .clock(wallMinusBootMicroseconds: offset, at: now)
  }

  /// Makes the journal's record of a call.
  ///
  /// - Parameters:
  ///   - call: The request.
  ///   - instant: When. One that nobody named is moved to the last call's where it is before that.
  ///   - isNamed: Whether the program named it.
  /// - Returns: The record.
  /// - Throws: ``HealthModel/WorkoutError`` if the call is not possible; nothing has changed then.
  func record(
    of call: WorkoutCall, at instant: BootInstant, isNamed: Bool = false
  ) throws(WorkoutError) -> WorkoutRecord {
    var trial = replay
    let time = time(of: instant)
    try trial.perform(call, at: isNamed ? time : max(time, replay.latest ?? time), wallMinusBoot: wallMinusBoot)
    return .call(call, at: instant)
  }

  /// Makes the call of an event that is over.
  ///
  /// - Parameters:
  ///   - type: The type of the event.
  ///   - span: Its time; nil: now, or since the last event of its kind where it is a lap or a segment.
  ///   - metadata: Metadata to store.
  ///   - now: The time.
  /// - Returns: The call, and when the event ended.
  func event(
    _ type: WorkoutEventType, over span: TimeSpan?, _ metadata: Metadata, at now: BootInstant
  ) -> (call: WorkoutCall, end: BootInstant) {
    let start: BootInstant
    let end: BootInstant
    if let span {
      (start, end) = (instant(of: span.start), instant(of: span.end))
    } else {
      end = max(now, replay.latest.map { instant(of: $0) } ?? now)
      let last = type == .lap || type == .segment ? endOfLast(type) : nil
      start = min(end, last.map { instant(of: $0) } ?? end)
    }
    let call = WorkoutCall.event(
      type: type.rawValue, start: start, end: end, metadata: metadata)
    return (call, end)
  }

  /// Returns the beginning of a lap or a segment without a start of its own.
  private func endOfLast(_ type: WorkoutEventType) -> Timestamp? {
    let start = session.currentActivity?.start ?? session.activities.last?.end ?? session.start
    let events = session.events + session.activities.flatMap(\.events) + (session.currentActivity?.events ?? [])
    let last = events.filter { $0.type == type }.map(\.span.end).max()
    return [start, last].compactMap { $0 }.max()
  }

  /// The journal has these.
  mutating func journalTook(_ records: [WorkoutRecord], _ metadata: Metadata = [:]) {
    contents.metadata.merge(metadata) { $1 }
    for record in records {
      contents.append(record)
      switch record {
      case .call(let call, let instant):
        let time = time(of: instant)
        // The call was tried before it was written.
        try? replay.perform(call, at: max(time, replay.latest ?? time), wallMinusBoot: wallMinusBoot)
      case .boot, .clock:
        if let again = try? WorkoutReplay(contents) { replay = again }
      case .begin, .samples: break
      }
    }
  }
}

/// A change that a program asks of a live workout.
package enum WorkoutChange: Hashable, Sendable {
  /// From a pause until the workout goes on, values do not count.
  case pause, resume, stop
  /// Begins an activity with this identity, and ends the one under way.
  case beginActivity(UUID, WorkoutConfiguration, metadata: Metadata = [:])
  case endActivity
  /// An event that is over. Without a span it is a moment, now; a lap or a segment begins where the last one of its kind ended,
  /// or where the activity under way began, or else the workout.
  case event(WorkoutEventType, over: TimeSpan? = nil, metadata: Metadata = [:])
  /// More metadata; the last value of a key counts.
  case metadata(Metadata)

  /// The metadata that the workout gets; those of activities and events are in their calls.
  var metadata: Metadata {
    if case .metadata(let metadata) = self { metadata } else { [:] }
  }
}

extension OpenWorkout {
  /// A call at an instant, which its program may have named.
  typealias Step = (call: WorkoutCall, instant: BootInstant, isNamed: Bool)

  /// Makes the call that stands for a change at `time`, or at `now`; nil where it needs none.
  ///
  /// - Throws: ``WorkoutRequestFailure``: `refused`, `invalidTime`.
  func step(
    of change: WorkoutChange, at time: Timestamp?, now: BootInstant, _ limits: ClientDataLimits
  ) throws(WorkoutRequestFailure) -> Step? {
    let instant = time.map { self.instant(of: $0) } ?? now
    let call: WorkoutCall
    switch change {
    case .metadata(let metadata):
      try Self.check(metadata, limits)
      try Self.check(self.metadata.merging(metadata) { $1 }, limits)
      return nil
    case .event(let type, let span, let metadata):
      try Self.check(metadata, limits)
      let event = event(type, over: span, metadata, at: now)
      if span != nil { try Self.check(event.end, now) }
      return (event.call, max(now, event.end), false)
    case .beginActivity(let identifier, let configuration, let metadata):
      try Self.check(metadata, limits)
      call = .beginActivity(identifier, configuration, metadata: metadata)
    case .endActivity: call = .endActivity
    case .pause: call = .pause
    case .resume: call = .resume
    case .stop: call = .stop
    }
    try Self.check(instant, now)
    return (call, instant, time != nil)
  }

  private static func check(_ metadata: Metadata, _ limits: ClientDataLimits) throws(WorkoutRequestFailure) {
    do { try limits.check(metadata) } catch { throw .refused(error) }
  }

  /// Throws for an instant in the future.
  private static func check(_ instant: BootInstant, _ now: BootInstant) throws(WorkoutRequestFailure) {
    guard instant <= now.advanced(byMicroseconds: ClientIdentity.clockTolerance) else { throw .invalidTime }
  }

  /// The samples that it has not collected yet, each once.
  func unknown(_ samples: [UUID]) -> [UUID] {
    var known = Set(contents.samples)
    return samples.filter { known.insert($0).inserted }
  }
}

/// The figures of one type in a live workout, so far. Provisional, as all live values are.
package struct LiveWorkoutFigures: Hashable, Sendable {
  /// Since the workout began; nil where nothing of the type was collected.
  package var workout: WorkoutStatistics?
  /// Since the activity under way began; nil also between activities.
  package var activity: WorkoutStatistics?
  /// The durations of the two without pauses; nil without figures.
  package var workoutDuration: Duration?
  package var activityDuration: Duration?
}

extension OpenWorkout {
  /// The figures of a type up to now, pauses left out.
  ///
  /// - Parameters:
  ///   - type: A quantity type.
  ///   - samples: Samples of that type that its program has collected, with values.
  ///   - now: The time.
  /// - Returns: Those of the workout and of the activity under way.
  func figures(of type: QuantityType, with samples: [WorkoutSample], at now: BootInstant) -> LiveWorkoutFigures {
    var samples = samples
    if type == .heartRate, let sensor = contents.workout.sensor {
      samples.insert(
        WorkoutSample(
          .quantity(.heartRate), from: DataSource(source: WorkoutSessions.source, device: "\(sensor)"),
          quantities: rates.track(wallMinusBoot: wallMinusBoot)), at: 0)
    }
    // A value of this moment counts.
    let last = session.end ?? max(time(of: now), replay.latest ?? time(of: now))
    let end = session.end ?? last.advanced(byMicroseconds: 1)
    guard let start = session.start, let span = TimeSpan(start: start, end: end) else { return LiveWorkoutFigures() }
    let current = session.currentActivity
    let workout = Workout(
      session.configuration, over: span, events: session.events,
      activities: session.activities + (current.map { [$0] } ?? []))
    let quantities = CollectedQuantities(samples)
    let pauses = workout.pauses
    func figures(since start: Timestamp?) -> (WorkoutStatistics, Duration)? {
      guard let start, let span = TimeSpan(start: start, end: end), let passed = TimeSpan(start: start, end: last),
        let figures = quantities.statistics(over: span, without: pauses).first(where: { $0.type == type })
      else { return nil }
      return (figures, .microseconds(pauses.microsecondsLeft(of: passed)))
    }
    let whole = figures(since: start)
    let part = figures(since: current?.start)
    return LiveWorkoutFigures(
      workout: whole?.0, activity: part?.0, workoutDuration: whole?.1, activityDuration: part?.1)
  }
}

/// The heart rates that a sensor has sent during a live workout: sixteen bytes each, until the workout ends.
struct WorkoutRates {
  /// Rates from before the recorder's start, in wall time.
  var earlier = QuantityTrack()
  /// Since then, on the boot clock.
  private var instants: [Int64] = []
  private var values: [Double] = []

  mutating func append(_ beatsPerMinute: UInt16, at instant: BootInstant) {
    instants.append(instant.microseconds)
    values.append(Double(beatsPerMinute))
  }

  /// All of them, where the wall clock leads the boot clock by so many microseconds; as the store will have them.
  func track(wallMinusBoot offset: Int64) -> QuantityTrack {
    QuantityTrack(
      starts: earlier.starts
        + instants.map { Timestamp(microseconds: $0.addingSaturated(offset)).flooredToMilliseconds.microseconds },
      values: earlier.values + values)
  }
}
