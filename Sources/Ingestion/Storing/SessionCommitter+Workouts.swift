import CLinux
import Captures
import FoundationEssentials
import HealthModel
import SeriesStore
import Timeline

extension SessionCommitter {
  /// Ends a live workout in the journal: repeats its calls, collects what is stored of its sensor and of its program, saves all in
  /// one transaction, and only then the journal may forget it. Doing it twice does no harm: the store knows the workout's identity.
  ///
  /// - Parameters:
  ///   - workout: The workout's identity in the journal; it has ended.
  ///   - open: The sessions that are being recorded now, which began after it.
  ///   - judgement: The knowledge of the clock; with nil nothing is stored of it.
  /// - Returns: The stored result; without an outcome if nothing is left of it.
  /// - Throws: ``Failure``; the workout is then still in the journal. ``Failure/sessionsMissing`` while a session of its sensor
  ///   is not stored yet.
  func commit(
    workout: UUID, besides open: Set<UUID>, judgement: ClockJudgement? = nil
  ) throws(Failure) -> Committed {
    defer { malloc_trim(0) }
    let (contents, damages) = try read(workout) { hasGivenUp throws(JournalError) in
      try journal.contents(ofWorkout: workout, leavingOutUnreadable: hasGivenUp)
    }
    if let sensor = contents.workout.sensor {
      guard journal.uncommittedSessions(of: sensor).isSubset(of: open) else { throw .sessionsMissing }
    }
    var outcome: CommitOutcome?
    var clock: RecordedClock?
    let session: WorkoutSession
    do { session = try WorkoutReplay(contents).session } catch { throw .workout(error) }
    if let start = session.start, let end = session.end, let span = TimeSpan(start: start, end: end) {
      clock = try self.clock(
        in: contents.boot, at: contents.wallMinusBootMicroseconds, from: start, by: judgement)
      outcome = try save(session, contents, over: span, clock: clock)
    }
    do { try journal.commit(workout) } catch { throw .journal(error) }
    return Committed(outcome: outcome, rates: 0, beats: 0, gaps: 0, damages: damages, clock: clock)
  }

  /// When the workouts with these identities in the journal were, each until now where it goes on.
  func spans(ofWorkouts workouts: Set<UUID>) -> [TimeSpan] {
    workouts.compactMap { workout in
      // An unreadable record must not hide a workout: heart events would be reported that its commit removes.
      guard let found = try? journal.contents(ofWorkout: workout, leavingOutUnreadable: true),
        let session = try? WorkoutReplay(found.contents).session, let start = session.start
      else { return nil }
      return TimeSpan(start: start, end: session.end ?? Timestamp.calendarRange.upperBound)
    }
  }

  /// The store's actor has the same thread.
  private func save(
    _ session: WorkoutSession, _ contents: WorkoutContents, over span: TimeSpan, clock: RecordedClock?
  ) throws(Failure) -> CommitOutcome {
    let (version, rules) = (version, eventRules)
    let saved = store.assumeIsolated { store -> Result<CommitOutcome, Failure> in
      do throws(Failure) {
        return .success(
          try store.commit(session, contents, over: span, version: version, eventRules: rules, clock: clock))
      } catch {
        return .failure(error)
      }
    }
    return try saved.get()
  }
}

extension HealthStore {
  /// Saves a workout with all that belongs to it.
  fileprivate func commit(
    _ session: WorkoutSession, _ contents: WorkoutContents, over span: TimeSpan, version: String,
    eventRules rules: HeartEventRules, clock: RecordedClock?
  ) throws(SessionCommitter.Failure) -> CommitOutcome {
    let recorded = try recorded(contents.workout.sensor, over: span)
    let added = try collected(Set(contents.samples))
    let device = recorded.last?.device
    let workout: Workout
    do throws(WorkoutError) {
      var builder = try WorkoutBuilder(of: session)
      try builder.addMetadata(contents.metadata.stored)
      try builder.addSamples(added)
      workout = try builder.finishWorkout()
    } catch {
      throw .workout(error)
    }
    // Samples that are computed from the values of its sensor and saved with it.
    let computed = [
      try energy(of: session.id, recorded, over: span, device: device),
      try recovery(after: workout, recorded, device: device),
    ].compactMap { $0 }
    let sample: NewSample
    do throws(WorkoutError) {
      sample = try NewSample(
        workout, collected: recorded.map(\.id) + computed.map(\.id) + added.map(\.id), device: device,
        sync: SyncIdentity(identifier: session.id.uuidString.lowercased(), version: 1))
    } catch {
      throw .workout(error)
    }
    let owner = ClientIdentity(uid: contents.workout.uid, application: contents.workout.application)
    let recorder = SourceRevision(identifier: WorkoutSessions.source, name: WorkoutSessions.source, version: version)
    return try saving { (store) throws(StoreError) in
      try store.commit(
        sample, computed: computed, as: SourceRevision(identifier: owner.source, name: owner.application),
        computedBy: recorder, eventRules: rules, clock: clock)
    }
  }
}

/// The recorded values that belong to a workout. Pure.
///
/// A workout may outlast a session: after 24 hours, when the strap was away for long, when the recorder was restarted. So it is the
/// sensor and the time that decide, not one session: what the recorder stored of that sensor and touches the workout's time.
enum WorkoutSessions {
  /// The source of the recorder's own samples.
  static let source = "sensord"

  /// The samples of the sensor's sessions: rates, and beats. Figures over a whole session are not among them.
  static func samples(of sensor: SensorAddress, over span: TimeSpan) -> SampleQuery {
    let types: [SampleType] = [.quantity(.heartRate), .heartbeatSeries]
    return SampleQuery(
      .and([predicate(of: sensor, from: span.start, to: span.end), .or(types.map { .type($0) })]))
  }

  /// A predicate for the recorder's samples of a sensor in a time that may be open.
  static func predicate(of sensor: SensorAddress, from start: Timestamp, to end: Timestamp?) -> SamplePredicate {
    .and([.source(source), .device("\(sensor)"), .time(from: start, to: end)])
  }
}

/// The energy that a strap counted during a workout. Pure.
///
/// The field of its notifications is a sum in kilojoules since the sensor's last reset. The sum is stored with the
/// rates, and is no sample: only its growth during a workout has a meaning, and becomes a sample with the workout.
enum WorkoutEnergy {
  /// A growth of the sum.
  struct Growth: Hashable {
    var kilojoules: Double
    /// From the field before it, or the workout's start, to the field that has it.
    var span: TimeSpan
  }

  /// By how much the sum grew, step by step.
  ///
  /// A smaller sum than before is one after a reset. 65535 stands for any greater sum, too, and is skipped.
  ///
  /// - Parameters:
  ///   - rates: Those of all its sessions, in order.
  ///   - span: The workout's time.
  /// - Returns: The steps in order.
  static func growths(in rates: [HeartRateValue], over span: TimeSpan) -> [Growth] {
    var growths: [Growth] = []
    var last: (sum: UInt16, time: Timestamp)?
    for rate in rates {
      guard let sum = rate.energyKilojoules, sum < .max else { continue }
      defer { last = (sum, rate.time) }
      guard let last, rate.time > span.start, rate.time <= span.end else { continue }
      let growth = sum >= last.sum ? sum - last.sum : sum
      guard growth > 0, let its = TimeSpan(start: max(last.time, span.start), end: rate.time) else { continue }
      growths.append(Growth(kilojoules: Double(growth), span: its))
    }
    return growths
  }

  /// The sample of a workout's energy; nil where the strap sent none.
  static func sample(
    of workout: UUID, from rates: [HeartRateValue], over span: TimeSpan, device: Device?
  ) throws(SeriesError) -> NewSample? {
    let growths = growths(in: rates, over: span)
    guard !growths.isEmpty else { return nil }
    var builder = QuantitySeriesBuilder(type: .activeEnergyBurned, start: span.start, device: device)
    for growth in growths {
      try builder.insert(growth.kilojoules / kilojoulesPerKilocalorie, from: growth.span.start, to: growth.span.end)
    }
    return try builder.finish(
      id: workout.energySample, sync: SyncIdentity(identifier: workout.energySample.uuidString.lowercased(), version: 1)
    )
  }

  private static let kilojoulesPerKilocalorie = 4.184
}

/// The recovery of the heart rate after a workout. Pure.
enum WorkoutRecovery {
  /// The sample of a workout's recovery, with what is known of the exercise; the same each time that the workout is committed.
  static func sample(
    of recovery: HeartRateRecovery, after workout: Workout, device: Device?
  ) throws(SeriesError) -> NewSample {
    let (id, span) = (workout.id.recoverySample, recovery.span)
    var builder = QuantitySeriesBuilder(type: .heartRateRecoveryOneMinute, start: span.start, device: device)
    try builder.insert(recovery.fall, from: span.start, to: span.end)
    return try builder.finish(
      id: id, metadata: recovery.metadata(after: HeartRateRecovery.Exercise(workout)),
      sync: SyncIdentity(identifier: id.uuidString.lowercased(), version: 1))
  }
}
