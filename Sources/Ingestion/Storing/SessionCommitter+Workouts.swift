import Captures
internal import CLinux
import FoundationEssentials
import HealthModel
import Sensors
import SeriesStore

extension SessionCommitter {
  /// Ends a live workout in the journal: repeats its calls, collects what is stored of its sensor and of its program, saves all in
  /// one transaction, and only then the journal may forget it. Doing it twice does no harm: the store knows the workout's identity.
  ///
  /// - Parameters:
  ///   - workout: The workout's identity in the journal; it has ended.
  ///   - open: The sessions that are being recorded now, which began after it.
  ///   - judgement: What is known of the clock; nil: nothing is stored of it.
  /// - Returns: What was stored; no outcome where nothing is left of it.
  /// - Throws: ``Failure``; the workout is then still in the journal. ``Failure/sessionsMissing`` while a session of its sensor
  ///   is not stored yet.
  func commit(
    workout: UUID, besides open: Set<UUID>, judgement: ClockJudgement? = nil
  ) throws(Failure) -> Committed {
    defer { malloc_trim(0) }
    let (contents, damages) = try contents(ofWorkout: workout)
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
      // Without it events are told that its commit takes back.
      guard let found = try? journal.contents(ofWorkout: workout, leavingOutUnreadable: true),
        let session = try? WorkoutReplay(found.contents).session, let start = session.start
      else { return nil }
      return TimeSpan(start: start, end: session.end ?? Timestamp.calendarRange.upperBound)
    }
  }

  private func contents(
    ofWorkout workout: UUID
  ) throws(Failure) -> (contents: WorkoutContents, damages: [CaptureDamage]) {
    let hasGivenUp = failedReadings[workout, default: 0] >= Self.greatestFailedReadings
    do {
      let found = try journal.contents(ofWorkout: workout, leavingOutUnreadable: hasGivenUp)
      failedReadings[workout] = nil
      return found
    } catch {
      if error.code == .cannotRead { failedReadings[workout, default: 0] += 1 }
      throw .journal(error)
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
      try builder.addMetadata(contents.metadata.mapValues(MetadataValue.init))
      try builder.addSamples(added)
      workout = try builder.finishWorkout()
    } catch {
      throw .workout(error)
    }
    // What is computed from the values of its sensor and saved with it.
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
