import Captures
import FoundationEssentials
import HealthModel
import Timeline

/// The live workouts, each from its beginning until the store has it: one stage for each, and the callers that wait for the
/// store.
///
/// Pure: it knows no clock, no file and no bus. Each change returns what is left to do; the ``Recorder`` does that, and reports what
/// the journal has refused.
struct OpenWorkouts {
  /// The stage of a workout. A workout that is over has no value where its calls make none, or the store has it already.
  enum Stage {
    /// The workout goes on, or is paused.
    case running(OpenWorkout)
    /// Its sensor is recorded until then, so that the store has the heart rate of a minute later.
    case stopped(OpenWorkout, until: BootInstant)
    /// The journal has refused its last records, without which it cannot be stored.
    case over(OpenWorkout?, unwritten: [WorkoutRecord])
    /// The journal has all of it.
    case beingStored(OpenWorkout?)

    /// The workout, while it goes on or its recovery does.
    var open: OpenWorkout? {
      switch self {
      case .running(let open), .stopped(let open, _): open
      case .over, .beingStored: nil
      }
    }

    /// The workout as it is, or was at its end.
    var workout: OpenWorkout? {
      switch self {
      case .running(let open), .stopped(let open, _): open
      case .over(let workout, _), .beingStored(let workout): workout
      }
    }

    /// When something has to be done without a call.
    var deadline: BootInstant? {
      switch self {
      case .running(let open): open.deadline
      case .stopped(_, let end): end
      case .over, .beingStored: nil
      }
    }

    /// Changes the workout where it stands, so that nothing of it is copied.
    fileprivate mutating func change(_ body: (inout OpenWorkout) -> Void) {
      switch self {
      case .running(var open):
        self = .beingStored(nil)
        body(&open)
        self = .running(open)
      case .stopped(var open, let end):
        self = .beingStored(nil)
        body(&open)
        self = .stopped(open, until: end)
      case .over, .beingStored: break
      }
    }

    /// The answer to whoever waits for the store when the recorder ends.
    fileprivate var failureAtEnd: WorkoutRequestFailure { open == nil ? .notStored : .notRecording }
  }

  /// The work left when a workout is over or discarded: its sensor's session ends, another goes on from it, and then
  /// these records are written.
  struct Ending: Hashable {
    var workout: LiveWorkout
    var reason: SessionEndReason
    var instant: BootInstant
    /// Empty where nothing is to be written.
    var records: [WorkoutRecord] = []
  }

  /// Callers that are to be called now, with the reason why the store does not have their workout; nil where it has.
  struct Answer {
    var waits: [WorkoutWait]
    var failure: WorkoutRequestFailure?

    func give() {
      for wait in waits { wait(failure) }
    }
  }

  /// The work left for a workout of an earlier recorder.
  enum Recovered: Hashable {
    /// The workout goes on, after these records.
    case open(present: [WorkoutRecord])
    /// The workout is to be stored; with its last record where the journal has none.
    case over(end: WorkoutRecord?)
  }

  private(set) var stages: [UUID: Stage] = [:]
  /// The callers that wait until a workout is stored.
  private(set) var waits: [UUID: [WorkoutWait]] = [:]
  /// Everything has ended that ends with the recorder: nobody waits any more.
  private var isFinished = false

  /// A workout that goes on, or whose recovery does; nil where there is none.
  subscript(workout: UUID) -> OpenWorkout? { stages[workout]?.open }

  /// Whether a workout is over and not in the store yet.
  func isOver(_ workout: UUID) -> Bool {
    stages[workout].map { $0.open == nil } ?? false
  }

  /// Whether a workout is running or paused.
  var areUnderWay: Bool { stages.values.contains { $0.open?.isUnderWay == true } }

  /// When something has to be done without a call.
  var deadline: BootInstant? { stages.values.compactMap(\.deadline).min() }

  /// The requests under which the sessions of workouts are recorded.
  var requests: Set<UUID> { Set(stages.values.compactMap(\.open?.contents.workout.request)) }

  /// Whether a sensor is recorded for a workout.
  func use(_ sensor: SensorAddress) -> Bool {
    stages.values.contains { $0.open?.contents.workout.sensor == sensor }
  }

  /// The workouts in the order of their identifiers; `isStored` leaves none out that the store does not have yet.
  func listed(unstored: Bool = false, at now: BootInstant) -> [RunningWorkout] {
    ordered.compactMap { (unstored ? stages[$0]?.workout : stages[$0]?.open).map { RunningWorkout($0, at: now) } }
  }

  private var ordered: [UUID] { stages.keys.sorted { $0.uuidString < $1.uuidString } }
}

// Events in the life of a workout.
extension OpenWorkouts {
  /// A workout begins; the journal has it.
  mutating func begin(_ open: OpenWorkout) {
    stages[open.session.id] = .running(open)
  }

  /// A workout did not begin after all.
  mutating func remove(_ workout: UUID) {
    stages[workout] = nil
  }

  /// The records that the journal needs of a workout: those that it has refused, and these.
  func unwritten(_ records: [WorkoutRecord], of workout: UUID) -> [WorkoutRecord] {
    (self[workout]?.owed ?? []) + records
  }

  /// The records of a step of a workout; throws where the workout cannot do that, in its state or at all.
  func records(of step: OpenWorkout.Step?, in workout: UUID) throws(WorkoutRequestFailure) -> [WorkoutRecord] {
    guard let open = self[workout] else { throw .notOpen }
    guard let step else { return [] }
    do { return [try open.record(of: step.call, at: step.instant, isNamed: step.isNamed)] } catch {
      throw .invalid(error)
    }
  }

  /// The records of a wall clock that has been set or slewed, for each workout that needs one.
  func records(ofClock offset: Int64, at now: BootInstant) -> [(workout: UUID, record: WorkoutRecord)] {
    ordered.compactMap { workout in self[workout]?.record(ofClock: offset, at: now).map { (workout, $0) } }
  }

  /// The journal has these records of a workout, and those that it had refused.
  mutating func journalTook(
    _ records: [WorkoutRecord], _ metadata: Metadata = [:], of workout: UUID
  ) {
    stages[workout]?.change {
      $0.owed = []
      $0.journalTook(records, metadata)
    }
  }

  /// The journal has refused the last records of a workout, or the first ones after the recorder's start.
  mutating func journalRefused(_ records: [WorkoutRecord], of workout: UUID) {
    if case .beingStored(let last) = stages[workout] {
      stages[workout] = .over(last, unwritten: records)
    } else {
      stages[workout]?.change { $0.owed = records }
    }
  }

  /// A sensor has sent a rate, which belongs to its workout.
  mutating func collect(_ beatsPerMinute: UInt16, of sensor: SensorAddress, at instant: BootInstant) {
    let its = stages.first {
      if case .running(let open) = $0.value { open.contents.workout.sensor == sensor } else { false }
    }?.key
    if let its { stages[its]?.change { $0.rates.append(beatsPerMinute, at: instant) } }
  }

  /// The sensor of a workout has sent these rates before the recorder's start.
  mutating func collect(earlier rates: QuantityTrack, in workout: UUID) {
    stages[workout]?.change { $0.rates.earlier = rates }
  }

  /// A workout was stopped: it is over when its recovery is, or at once where nothing is recorded for it (`waits`).
  mutating func stop(_ workout: UUID, waits: Bool, at now: BootInstant) -> Ending? {
    guard let open = self[workout], let end = open.endOfRecovery else { return nil }
    guard waits, end > now else { return self.end(workout, .request, at: now) }
    stages[workout] = .stopped(open, until: end)
    return nil
  }

  /// A workout is over; nil where none goes on.
  mutating func end(_ workout: UUID, _ reason: SessionEndReason, at now: BootInstant) -> Ending? {
    guard var open = self[workout] else { return nil }
    var ending = Ending(workout: open.contents.workout, reason: reason, instant: now)
    if let record = try? open.record(of: .end, at: now) {
      ending.records = unwritten([record], of: workout)
      open.journalTook([record])
    }
    stages[workout] = .beingStored(open)
    return ending
  }

  /// The time is `now`: workouts end whose recovery is over, or which have gone on for too long.
  mutating func timeReached(_ now: BootInstant) -> [Ending] {
    ordered.compactMap { workout in
      guard let deadline = stages[workout]?.deadline, deadline <= now else { return nil }
      return end(workout, .request, at: now)
    }
  }

  /// Recoveries are cut short: those of a sensor, or all.
  mutating func endRecoveries(
    of sensor: SensorAddress? = nil, _ reason: SessionEndReason, at now: BootInstant
  ) -> [Ending] {
    ordered.compactMap { workout in
      guard case .stopped(let open, _) = stages[workout],
        sensor == nil || open.contents.workout.sensor == sensor
      else { return nil }
      return end(workout, reason, at: now)
    }
  }

  /// A workout is discarded: nothing of it is in the journal any more.
  mutating func discard(_ workout: UUID, at now: BootInstant) -> (ending: Ending, answer: Answer)? {
    guard let open = self[workout] else { return nil }
    stages[workout] = nil
    return (
      Ending(workout: open.contents.workout, reason: .request, instant: now),
      Answer(waits: waits.removeValue(forKey: workout) ?? [], failure: .discarded)
    )
  }

  /// The journal has the last records of a workout now.
  mutating func journalTookEnd(of workout: UUID) {
    if case .over(let last, _) = stages[workout] { stages[workout] = .beingStored(last) }
  }

  /// The store has a workout.
  mutating func stored(_ workout: UUID) -> Answer {
    stages[workout] = nil
    return Answer(waits: waits.removeValue(forKey: workout) ?? [])
  }

  /// Somebody waits until a workout is stored; returns the answer where it is known.
  mutating func wait(for workout: UUID, _ tell: @escaping WorkoutWait) -> Answer? {
    guard let stage = stages[workout] else { return Answer(waits: [tell], failure: .notOpen) }
    guard !isFinished else { return Answer(waits: [tell], failure: stage.failureAtEnd) }
    waits[workout, default: []].append(tell)
    return nil
  }

  /// All that ends with the recorder has been committed, as far as it can be: whoever waits learns how it went.
  mutating func finish() -> [Answer] {
    isFinished = true
    defer { waits = [:] }
    return waits.map { Answer(waits: $1, failure: stages[$0]?.failureAtEnd ?? .notStored) }
  }

  /// Goes on with a workout of an earlier recorder, or ends it.
  ///
  /// - Parameters:
  ///   - found: The contents of the journal.
  ///   - isKnown: Whether the store has it, or had it.
  ///   - last: The last thing that is known of it.
  ///   - limit: For how long a workout goes on, in microseconds.
  ///   - boot: The present boot.
  ///   - offset: The wall clock's lead over the boot clock, in microseconds.
  ///   - now: The time.
  /// - Returns: The rest of the work.
  mutating func recover(
    _ found: WorkoutContents, isKnown: Bool, last: BootInstant?, limit: Int64, boot: BootIdentifier,
    wallMinusBoot offset: Int64, at now: BootInstant
  ) -> Recovered {
    let identifier = found.workout.identifier
    let wall = now.timestamp(wallMinusBoot: offset)
    let start = (try? WorkoutReplay(found))?.session.start ?? wall
    let deadline = now.advanced(byMicroseconds: limit - max(0, wall.microseconds(since: start)))
    let replayed = try? OpenWorkout(found, until: deadline)
    guard var open = replayed, open.session.state != .ended, !found.workout.endsWithClient, !isKnown else {
      // Not now, but as its session: the boot clock may have started anew since then.
      let end = replayed?.session.state == .ended ? nil : WorkoutRecord.call(.end, at: last ?? now)
      var closed = replayed
      if let end { closed?.journalTook([end]) }
      // Whoever waited for it with the earlier recorder waits for it with this one.
      stages[identifier] = .beingStored(isKnown ? nil : closed)
      return .over(end: end)
    }
    let present: [WorkoutRecord] = [
      .boot(boot, at: now), .clock(wallMinusBootMicroseconds: offset, at: now),
    ]
    open.journalTook(present)
    // The instant of a stop in an earlier boot is none of this one.
    let end = open.session.end == nil ? nil : found.boot == boot ? open.endOfRecovery : now
    stages[identifier] = end.map { .stopped(open, until: $0) } ?? .running(open)
    return .open(present: present)
  }
}
