import Captures
package import FoundationEssentials
package import HealthModel
import SeriesStore
import Timeline

// The ends of live workouts, and their recovery after a restart of the recorder.

extension Recorder {
  /// Ends a workout, and returns when the stop is in the journal.
  ///
  /// Its sensor is recorded for ``OpenWorkout/recovery`` more, so that the store has the heart rate of a minute later; then the
  /// session, the workout and what is computed of both are stored together. ``whenStored(_:_:)`` reports that.
  ///
  /// - Parameters:
  ///   - workout: The workout. A recovery goes on, or is cut short.
  ///   - time: When it ended; nil: now.
  ///   - waitsForRecovery: False: it is over at once.
  /// - Throws: ``WorkoutRequestFailure``.
  package func stopWorkout(
    _ workout: UUID, at time: Timestamp? = nil, waitsForRecovery: Bool = true
  ) throws(WorkoutRequestFailure) {
    guard let open = workouts[workout] else {
      guard workouts.isOver(workout) else { throw .notOpen }
      return
    }
    if open.session.state != .stopped { try change(workout, .stop, at: time) }
    stopped(workout, waits: waitsForRecovery)
  }

  /// A workout was stopped: it is over when its recovery is, or at once where nothing is recorded for it.
  private func stopped(_ workout: UUID, waits: Bool) {
    let index = workouts[workout]?.contents.workout.sensor.flatMap { sensors.recordings.index(of: $0) }
    let isRecorded = index.map { sensors.recordings[$0].session != nil } ?? false
    if let ending = workouts.stop(workout, waits: waits && isRecorded, at: clock.now()) { perform(ending) }
    armTimer(for: workouts.deadline)
  }

  /// Calls `tell` once, on the loop's thread, when a workout is over and stored, whatever ends it and however often the store has to
  /// be tried; or with a failure: ``WorkoutRequestFailure/notOpen`` where there is none, ``WorkoutRequestFailure/discarded``;
  /// where the recorder stops before that ``WorkoutRequestFailure/notRecording`` if the workout goes on with the next one, else
  /// ``WorkoutRequestFailure/notStored``.
  package func whenStored(_ workout: UUID, _ tell: @escaping WorkoutWait) {
    workouts.wait(for: workout, tell)?.give()
  }

  /// The program of a workout is gone: the workout ends now, without waiting for the recovery, and is stored.
  package func interruptWorkout(_ workout: UUID) {
    if let ending = workouts.end(workout, .clientGone, at: clock.now()) { perform(ending) }
  }

  /// Forgets a workout: none is stored; what was recorded and added stays. Returns when a power cut cannot bring it back.
  ///
  /// - Throws: ``WorkoutRequestFailure/notOpen``, ``WorkoutRequestFailure/journal``.
  package func discardWorkout(_ workout: UUID) async throws(WorkoutRequestFailure) {
    guard workouts[workout] != nil, let files else { throw .notOpen }
    do throws(JournalError) {
      try files.journal.commit(workout)
      guard let discarded = workouts.discard(workout, at: clock.now()) else { return }
      endSession(of: discarded.ending)
      defer { discarded.answer.give() }
      try await files.syncer.syncNow()
    } catch {
      journalFailed(error)
      throw .journal
    }
  }

  /// A workout is over: its session ends, another goes on from it, and it is committed after its sessions.
  func perform(_ ending: OpenWorkouts.Ending) {
    // Its session first: what has ended in the journal is committed with what is stored then.
    endSession(of: ending)
    if !ending.records.isEmpty { write(ending.records, of: ending.workout.identifier) }
    // A recorder that stops commits all at its end.
    if !isStopping { commitSoon(ending.workout.identifier) }
  }

  /// Ends the session of a workout that is over or discarded; another goes on from it.
  private func endSession(of ending: OpenWorkouts.Ending) {
    if let index = ending.workout.sensor.flatMap({ sensors.recordings.index(of: $0) }) {
      if let step = sensors.recordings[index].divide(ending.reason, at: ending.instant, next: UUID()) {
        perform(step, of: index)
        armTimer(for: sensors.recordings[index].deadline)
        publishStatus()
      }
    }
    if let request = ending.workout.request { requests.remove(request) }
  }

  /// Writes the end of a workout, or its first records after the recorder's start; if the journal refuses them, they are written
  /// before what follows.
  private func write(_ records: [WorkoutRecord], of workout: UUID) {
    do throws(JournalError) {
      try files?.journal.append(records, toWorkout: workout)
      journalWorks()
    } catch {
      workouts.journalRefused(records, of: workout)
      journalFailed(error)
    }
  }

  /// Commits an ended workout, after the sessions and series that it may need.
  func commit(
    workout: UUID, with files: OpenFiles, _ wallClock: ClockKeeper
  ) async throws(SessionCommitter.Failure) -> SessionCommitter.Committed {
    if case .over(_, let records) = workouts.stages[workout] {
      do { try files.journal.append(records, toWorkout: workout) } catch { throw .journal(error) }
      workouts.journalTookEnd(of: workout)
      journalWorks()
    }
    for (identifier, commit) in commits where !workouts.isOver(identifier) { await commit.value }
    return try await files.committer.commit(
      workout: workout, besides: sensors.recordings.openSessions, judgement: await wallClock.judgement())
  }

  /// Goes on with the workouts of an earlier recorder.
  ///
  /// - Returns: Those that have ended and are yet to be committed.
  func recoverWorkouts(_ contents: JournalContents) async -> [UUID] {
    guard let files else { return [] }
    var ended: [UUID] = []
    for found in contents.workouts {
      let identifier = found.workout.identifier
      let now = clock.now()
      let recovered = workouts.recover(
        found, isKnown: await files.store.hasOrHad(workout: identifier), last: contents.lastInstant(of: found),
        limit: settings.clientData.microsecondsOfWorkout, boot: clock.boot, wallMinusBoot: sensors.wallMinusBoot,
        at: now)
      switch recovered {
      case .over(let end):
        ended.append(identifier)
        endSession(of: found.workout, at: now)
        if let end { write([end], of: identifier) }
      case .open(let present):
        write(present, of: identifier)
        if let open = workouts[identifier] {
          workouts.collect(earlier: await files.store.earlierRates(of: open, contents), in: identifier)
        }
        log(.notice, "the workout \(identifier.uuidString.lowercased()) goes on")
        // The recovery of another boot is over.
        if found.boot == clock.boot { stopped(identifier, waits: true) }
        armTimer(for: workouts.deadline)
      }
    }
    return ended
  }

  /// A workout is over and its session goes on: the recorder was killed between the two.
  private func endSession(of workout: LiveWorkout, at now: BootInstant) {
    guard let request = workout.request,
      let index = sensors.recordings.index(ofRequest: request),
      let ending = sensors.recordings[index].end(.request, at: now)
    else { return }
    requests.remove(request)
    end(ending, of: index)
    commitSoon(ending.session)
  }
}

extension HealthStore {
  /// Whether the store has a workout, or had it: a power cut may remove an end from the journal that the store has
  /// already.
  fileprivate func hasOrHad(workout: UUID) async -> Bool {
    if (try? wasDeleted(workout)) == true { return true }
    return (try? await SampleQuery(.identifier([workout])).result(for: self).value.isEmpty) == false
  }

  /// Returns the rates in earlier sessions of a workout's sensor: those in the journal, and those in the store.
  fileprivate func earlierRates(of open: OpenWorkout, _ contents: JournalContents) async -> QuantityTrack {
    guard let sensor = open.contents.workout.sensor, let start = open.session.start else { return QuantityTrack() }
    var rates: [(start: Int64, value: Double)] = []
    for found in contents.sessions where found.state != .committed && found.capture.sensor.address == sensor {
      guard let timeline = try? SessionTimeline(log: found.capture.log), timeline.end > start else { continue }
      rates += timeline.rates.filter { $0.time >= start }.map {
        ($0.time.flooredToMilliseconds.microseconds, Double($0.beatsPerMinute))
      }
    }
    let predicate = WorkoutSessions.predicate(of: sensor, from: start, to: nil)
    let stored = try? await QuantityQuery(.heartRate, predicate: predicate, from: start).result(for: self).value
    rates += (stored?.quantities).map { zip($0.starts, $0.values).map { ($0, $1) } } ?? []
    rates.sort { $0.start < $1.start }
    return QuantityTrack(starts: rates.map(\.start), values: rates.map(\.value))
  }
}

extension JournalContents {
  /// The last instant that is known of a workout, in the boot of its last record: its own, or one of its sensor's.
  fileprivate func lastInstant(of workout: WorkoutContents) -> BootInstant? {
    var last = workout.lastInstant
    for found in sessions where found.capture.sensor.address == workout.workout.sensor {
      guard let instant = found.capture.log.last?.instant, found.capture.lastBoot == workout.boot else { continue }
      last = max(last ?? instant, instant)
    }
    return last
  }
}

extension Capture {
  /// The boot of the last events.
  var lastBoot: BootIdentifier? {
    var last: BootIdentifier?
    for event in log { if case .boot(let boot) = event.kind { last = boot } }
    return last
  }

  /// The wall clock's lead over the boot clock that was recorded last, in microseconds.
  var lastClock: Int64? {
    var last: Int64?
    for event in log { if case .clock(let offset) = event.kind { last = offset } }
    return last
  }
}
