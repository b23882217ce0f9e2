import Captures
package import FoundationEssentials
package import HealthModel
import SeriesStore
import Timeline

// Live workouts. The changes of a call are in the journal when it returns: they survive the end of both programs at
// once, and a power cut from the next sync on. Permissions are not decided here.

extension Recorder {
  /// The live workouts, in the order of their identifiers; also those of an earlier run that go on.
  package var runningWorkouts: [RunningWorkout] { workouts.listed(at: clock.now()) }

  /// The same with those that are over and not in the store yet.
  package var unstoredWorkouts: [RunningWorkout] { workouts.listed(unstored: true, at: clock.now()) }

  /// A live workout as it is now, also one that is over and not in the store yet; nil where there is none.
  package func liveWorkout(_ workout: UUID) -> RunningWorkout? {
    workouts.stages[workout]?.workout.map { RunningWorkout($0, at: clock.now()) }
  }

  /// Begins a workout now. If its sensor is being recorded, that session ends and the workout's goes on from it without losing
  /// a value. The recovery of another workout of the sensor is cut short.
  ///
  /// - Parameters:
  ///   - configuration: The type of the workout, its locations, and the length of a lap.
  ///   - sensor: The sensor; without one there are samples of other programs alone.
  ///   - owner: The program whose it is; it becomes the source.
  ///   - endsWithClient: Whether it ends when its program goes, also where the recorder notices that only at its next start.
  ///   - metadata: Metadata to store.
  /// - Returns: The workout's identity, also in the store.
  /// - Throws: ``WorkoutRequestFailure``.
  package func beginWorkout(
    _ configuration: WorkoutConfiguration, of sensor: WorkoutSensor = .any, for owner: ClientIdentity,
    endsWithClient: Bool = false, metadata: Metadata = [:]
  ) throws(WorkoutRequestFailure) -> UUID {
    guard condition.phase == .running, let files else { throw .notRecording }
    do { try settings.clientData.check(metadata) } catch { throw .refused(error) }
    do { _ = try WorkoutSession(configuration) } catch { throw .invalid(error) }
    let address: SensorAddress?
    do throws(SessionRequestFailure) {
      address =
        switch sensor {
        case .any: try freeSensor(nil)
        case .one(let one): try freeSensor(one)
        case .none: nil
        }
    } catch {
      throw .noSession(error)
    }
    let now = clock.now()
    followClock(at: now)
    let request = address.map { _ in UUID() }
    let workout = LiveWorkout(
      identifier: UUID(), uid: owner.uid, application: owner.application, endsWithClient: endsWithClient,
      configuration: configuration, request: request, sensor: address)
    var contents = WorkoutContents(workout)
    contents.metadata = metadata
    let records: [WorkoutRecord] = [
      .boot(clock.boot, at: now), .clock(wallMinusBootMicroseconds: sensors.wallMinusBoot, at: now),
      .call(.start, at: now),
    ]
    for record in records { contents.append(record) }
    let open: OpenWorkout
    do {
      open = try OpenWorkout(contents, until: now.advanced(byMicroseconds: settings.clientData.microsecondsOfWorkout))
    } catch {
      throw .invalid(error)
    }
    try write(or: WorkoutRequestFailure.journal) { (journal) throws(JournalError) in
      try journal.open(workout, metadata: metadata, records: records)
    }
    workouts.begin(open)
    if let address, let request {
      do throws(SessionRequestFailure) {
        _ = try beginSession(request, of: address, for: owner, endsWithClient: endsWithClient)
      } catch {
        workouts.remove(workout.identifier)
        try? files.journal.commit(workout.identifier)
        throw .noSession(error)
      }
    }
    armTimer(for: open.deadline)
    return workout.identifier
  }

  /// Changes a workout.
  ///
  /// - Parameters:
  ///   - workout: The workout, which goes on.
  ///   - change: What its program asks of it.
  ///   - time: When; nil: now. A time before that of an earlier call is refused.
  /// - Throws: ``WorkoutRequestFailure``; nothing has changed.
  package func change(
    _ workout: UUID, _ change: WorkoutChange, at time: Timestamp? = nil
  ) throws(WorkoutRequestFailure) {
    guard let open = workouts[workout] else { throw .notOpen }
    let now = clock.now()
    let step = try open.step(of: change, at: time, now: now, settings.clientData)
    if step != nil { followClock(at: now) }
    try write(try workouts.records(of: step, in: workout), change.metadata, of: workout)
  }

  /// Collects samples of the workout's program, which the store has.
  package func addSamples(_ samples: [UUID], to workout: UUID) async throws(WorkoutRequestFailure) {
    guard let open = workouts[workout], let store = files?.store else { throw .notOpen }
    guard samples.count <= settings.clientData.valuesInCall else { throw .refused(.tooLarge(.values)) }
    let wanted = Set(samples)
    let found: [HealthSample]
    do {
      found = try await SampleQuery(.and([.identifier(wanted), .source(open.owner.source)])).result(for: store).value
    } catch {
      throw .store
    }
    // A route belongs to another workout, which is over.
    let others: [SampleKind] = [.workout, .workoutRoute]
    guard found.count == wanted.count, !found.contains(where: { others.contains($0.type.kind) }) else {
      throw .unknownSample
    }
    // Much may have happened meanwhile.
    guard let news = workouts[workout]?.unknown(samples) else { throw .notOpen }
    try checkRoom(for: news.count, in: workout)
    if !news.isEmpty { try write([.samples(news)], of: workout) }
  }

  /// Looks whether a workout can collect so many more samples.
  ///
  /// - Throws: ``WorkoutRequestFailure/notOpen``, ``WorkoutRequestFailure/refused(_:)``.
  package func checkRoom(for count: Int, in workout: UUID) throws(WorkoutRequestFailure) {
    guard let open = workouts[workout] else { throw .notOpen }
    guard open.contents.samples.count + count <= settings.clientData.samplesOfWorkout else {
      throw .refused(.tooLarge(.samples))
    }
  }

  /// The figures of a type up to now, of the workout and of the activity under way: heart rates as the sensor sends them,
  /// everything else as the program added it.
  package func statistics(
    of type: QuantityType, in workout: UUID
  ) async throws(WorkoutRequestFailure) -> LiveWorkoutFigures {
    guard let open = workouts[workout], let store = files?.store else { throw .notOpen }
    var samples: [WorkoutSample] = []
    if !open.contents.samples.isEmpty {
      do throws(StoreError) { samples = try await store.collected(Set(open.contents.samples), of: type) } catch {
        throw .store
      }
    }
    guard let open = workouts[workout] else { throw .notOpen }
    return open.figures(of: type, with: samples, at: clock.now())
  }

  /// Writes what was asked of a workout.
  private func write(
    _ records: [WorkoutRecord], _ metadata: Metadata = [:], of workout: UUID
  ) throws(WorkoutRequestFailure) {
    guard condition.phase < .ended else { throw .notRecording }
    let all = workouts.unwritten(records, of: workout)
    try write(or: WorkoutRequestFailure.journal) { (journal) throws(JournalError) in
      try journal.append(all, metadata: metadata, toWorkout: workout)
    }
    workouts.journalTook(records, metadata, of: workout)
  }
}
