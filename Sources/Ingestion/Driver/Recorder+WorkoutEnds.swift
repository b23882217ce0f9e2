import Captures
package import FoundationEssentials
package import HealthModel
import HeartRateRecording
import Sensors
import SeriesStore

// The ends of live workouts, and their recovery after a restart of the recorder.

extension Recorder {
  /// Ends a workout, and returns when it is stored with all that was recorded for it.
  ///
  /// Its sensor is recorded for ``OpenWorkout/recovery`` more, so that the store has the heart rate of a minute later; then the
  /// session, the workout and what is computed of both are stored together.
  ///
  /// - Parameters:
  ///   - workout: The workout. One that is ending is waited for, or cut short.
  ///   - time: When it ended; nil: now.
  ///   - waitsForRecovery: False: it is over at once.
  /// - Throws: ``WorkoutRequestFailure``; `notStored` if the store refused it: the workout is safe in the journal.
  package func endWorkout(
    _ workout: UUID, at time: Timestamp? = nil, waitsForRecovery: Bool = true
  ) async throws(WorkoutRequestFailure) {
    let failure = await withCheckedContinuation { (wait: CheckedContinuation<WorkoutRequestFailure?, Never>) in
      // One step. A task of another thread gives others their turn at each call, and may be overtaken there.
      do throws(WorkoutRequestFailure) {
        try stopWorkout(workout, at: time, waitsForRecovery: waitsForRecovery)
        whenOver(workout) { wait.resume(returning: $0) }
      } catch {
        wait.resume(returning: error)
      }
    }
    if let failure { throw failure }
    await commits[workout]?.value
    if endedWorkouts.contains(workout) { throw .notStored }
  }

  /// The same, but returns when the stop is in the journal; ``workoutStored(_:)`` waits for the rest.
  package func stopWorkout(
    _ workout: UUID, at time: Timestamp? = nil, waitsForRecovery: Bool = true
  ) throws(WorkoutRequestFailure) {
    guard let open = workouts[workout] else {
      guard endedWorkouts.contains(workout) else { throw .notOpen }
      return
    }
    if open.session.state != .stopped { try call(.stop, at: time, of: workout) }
    recover(workout, waits: waitsForRecovery)
  }

  /// Returns when a workout is over and stored, whatever ends it and however often the store has to be tried.
  ///
  /// - Throws: ``WorkoutRequestFailure/notOpen`` where there is none, ``WorkoutRequestFailure/discarded``; where the recorder stops
  ///   before that ``WorkoutRequestFailure/notRecording`` if the workout goes on with the next one, else
  ///   ``WorkoutRequestFailure/notStored``.
  package func workoutStored(_ workout: UUID) async throws(WorkoutRequestFailure) {
    let failure = await withCheckedContinuation { (wait: CheckedContinuation<WorkoutRequestFailure?, Never>) in
      whenStored(workout) { wait.resume(returning: $0) }
    }
    if let failure { throw failure }
  }

  /// The same for a caller that has to be sure that nothing comes in between: `tell` is called once, on the loop's
  /// thread.
  package func whenStored(_ workout: UUID, _ tell: @escaping WorkoutWait) {
    guard workouts[workout] != nil || endedWorkouts.contains(workout) else { return tell(.notOpen) }
    guard !hasAnsweredWaits else { return tell(workouts[workout] == nil ? .notStored : .notRecording) }
    storedWaits[workout, default: []].append(tell)
  }

  /// Tells when a workout is over, and is stored or being stored.
  private func whenOver(_ workout: UUID, _ tell: @escaping WorkoutWait) {
    // A recorder that stops commits all at its end.
    let isOver = workouts[workout] == nil && !isStopping
    guard !isOver, !hasAnsweredWaits else { return tell(workouts[workout] == nil ? nil : .notRecording) }
    workoutWaits[workout, default: []].append(tell)
  }

  /// The program of a workout is gone: the workout ends now, without waiting for the recovery, and is stored.
  package func interruptWorkout(_ workout: UUID) {
    guard let open = workouts[workout] else { return }
    close(open, at: clock.now(), .clientGone)
  }

  /// Forgets a workout: none is stored; what was recorded and added stays. Returns when a power cut cannot bring it back.
  ///
  /// - Throws: ``WorkoutRequestFailure/notOpen``, ``WorkoutRequestFailure/journal``.
  package func discardWorkout(_ workout: UUID) async throws(WorkoutRequestFailure) {
    guard let open = workouts[workout], let files else { throw .notOpen }
    do throws(JournalError) {
      try files.journal.commit(workout)
    } catch {
      throw journalRefusedWorkout(error)
    }
    forget(open, .request, at: clock.now())
    let waits = [workoutWaits.removeValue(forKey: workout), storedWaits.removeValue(forKey: workout)]
    defer { for waits in waits { tell(waits, .discarded) } }
    do throws(JournalError) { try await files.syncer.syncNow() } catch { throw journalRefusedWorkout(error) }
  }

  /// A workout was stopped: it is over when its recovery is, or at once where nothing is recorded for it.
  private func recover(_ workout: UUID, waits: Bool) {
    guard let open = workouts[workout], let stop = open.session.end else { return }
    let now = clock.now()
    let end = open.instant(of: stop).advanced(byMicroseconds: OpenWorkout.recovery)
    guard waits, end > now, index(of: open).map({ recordings[$0].session != nil }) == true else {
      return close(open, at: now, .request)
    }
    workouts[workout]?.recoveryEnd = end
    armTimer(for: end)
  }

  /// The time is `now`: workouts end whose recovery is over, or which have gone on for too long.
  func endWorkouts(at now: BootInstant) {
    for open in workouts.values where open.nextDeadline <= now { close(open, at: now, .request) }
    for open in workouts.values { armTimer(for: open.nextDeadline) }
  }

  /// The recorder stops: recoveries are cut short; what goes on does so with the next recorder.
  ///
  /// - Returns: Those that are to be committed.
  func stopWorkouts() -> [UUID] {
    let stopped = workouts.values.filter { $0.session.state == .stopped }.map(\.session.id)
    for identifier in stopped { workouts[identifier].map { close($0, at: clock.now(), .shutdown) } }
    return stopped
  }

  /// All that ends has been committed, as far as it can be: whoever waits for a workout learns how it went.
  func answerWaits() {
    hasAnsweredWaits = true
    let (over, stored) = (workoutWaits, storedWaits)
    (workoutWaits, storedWaits) = ([:], [:])
    for (workout, waits) in over { tell(waits, workouts[workout] == nil ? nil : .notRecording) }
    for (workout, waits) in stored { tell(waits, workouts[workout] == nil ? .notStored : .notRecording) }
  }

  /// The store has a workout that is over.
  func storeTook(workout: UUID) {
    endedWorkouts.remove(workout)
    closedWorkouts[workout] = nil
    tell(storedWaits.removeValue(forKey: workout), nil)
  }

  private func tell(_ waits: [WorkoutWait]?, _ failure: WorkoutRequestFailure?) {
    for wait in waits ?? [] { wait(failure) }
  }

  /// Ends recoveries of a sensor whose next workout or session begins.
  func cutShortRecovery(of sensor: SensorAddress) {
    for open in workouts.values where open.contents.workout.sensor == sensor && open.session.state == .stopped {
      close(open, at: clock.now(), .request)
    }
  }

  /// A workout is over: its session ends, another goes on from it, and it is committed after its sessions.
  private func close(_ open: OpenWorkout, at now: BootInstant, _ reason: SessionEndReason) {
    let identifier = open.session.id
    endedWorkouts.insert(identifier)
    // Its session first: what has ended in the journal is committed with what is stored then.
    forget(open, reason, at: now)
    var closed = open
    if let record = try? open.record(of: .end, at: now) {
      writeEnd(open.owed + [record], of: identifier)
      closed.journalTook([record])
    }
    closedWorkouts[identifier] = closed
    // A recorder that stops commits all at its end.
    guard !isStopping else { return }
    commitSoon(identifier)
    tell(workoutWaits.removeValue(forKey: identifier), nil)
  }

  /// Writes the end of a workout; if the journal refuses it, the commit of the workout waits for that.
  private func writeEnd(_ records: [WorkoutRecord], of workout: UUID) {
    do throws(JournalError) {
      try files?.journal.append(records, toWorkout: workout)
      journalWorks()
    } catch {
      owedEnds[workout] = records
      journalFailed(error)
    }
  }

  private func forget(_ open: OpenWorkout, _ reason: SessionEndReason, at now: BootInstant) {
    let identifier = open.session.id
    workouts[identifier] = nil
    if let index = index(of: open) {
      let gaps = recordings[index].machine.counts.gaps
      if let step = recordings[index].divide(reason, at: now, next: UUID()) {
        perform(step, of: index, gapsBefore: gaps)
        armTimer(for: recordings[index].deadline)
        publishStatus()
      }
    }
    if let request = open.contents.workout.request { requests.remove(request) }
  }

  private func index(of open: OpenWorkout) -> Int? {
    open.contents.workout.sensor.flatMap { recordings.index(of: $0) }
  }

  /// Commits an ended workout, after the sessions and series that it may need.
  func commit(workout: UUID, with files: OpenFiles) async throws(SessionCommitter.Failure) -> SessionCommitter.Committed
  {
    if let records = owedEnds[workout] {
      do { try files.journal.append(records, toWorkout: workout) } catch { throw .journal(error) }
      owedEnds[workout] = nil
      journalWorks()
    }
    for (identifier, commit) in commits where !endedWorkouts.contains(identifier) { await commit.value }
    let open = Set(
      recordings.indices.flatMap { [recordings[$0].session?.id, recordings[$0].paused?.session.id].compactMap(\.self) })
    return try await files.committer.commit(workout: workout, besides: open, judgement: clockJudgement)
  }

  /// Goes on with the workouts of an earlier recorder.
  ///
  /// - Returns: Those that have ended and are yet to be committed.
  func recoverWorkouts(_ contents: JournalContents) async -> [UUID] {
    var ended: [UUID] = []
    for found in contents.workouts {
      let identifier = found.workout.identifier
      let now = clock.now()
      let start = (try? WorkoutReplay(found))?.session.start ?? now.timestamp(wallMinusBoot: wallOffset)
      let passed = max(0, now.timestamp(wallMinusBoot: wallOffset).microseconds(since: start))
      let limit = now.advanced(byMicroseconds: settings.clientData.microsecondsOfWorkout - passed)
      let isKnown = await isStored(identifier)
      guard var open = try? OpenWorkout(found, until: limit), open.session.state != .ended,
        !found.workout.endsWithClient, !isKnown
      else {
        endedWorkouts.insert(identifier)
        ended.append(identifier)
        endSession(of: found.workout, at: now)
        var closed = try? OpenWorkout(found, until: limit)
        if closed?.session.state != .ended {
          // As its session: at the last thing that is known, since the boot clock may have started anew since then.
          let end = WorkoutRecord.call(.end, at: contents.lastInstant(of: found) ?? now)
          writeEnd([end], of: identifier)
          closed?.journalTook([end])
        }
        // A wait that began with the earlier recorder goes on with this one.
        if !isKnown { closedWorkouts[identifier] = closed }
        continue
      }
      let isSameBoot = found.boot == clock.boot
      let present: [WorkoutRecord] = [
        .boot(clock.boot, at: now), .clock(wallMinusBootMicroseconds: wallOffset, at: now),
      ]
      do throws(JournalError) { try files?.journal.append(present, toWorkout: identifier) } catch {
        open.owed = present
        journalFailed(error)
      }
      open.journalTook(present)
      open.rates.earlier = await earlierRates(of: open, contents)
      log(.notice, "the workout \(identifier.uuidString.lowercased()) goes on")
      let stop = open.session.end
      if stop != nil, !isSameBoot { open.recoveryEnd = now }
      workouts[identifier] = open
      if stop != nil, isSameBoot { recover(identifier, waits: true) }
      if let open = workouts[identifier] { armTimer(for: open.nextDeadline) }
    }
    return ended
  }

  /// Whether the store has a workout, or had it: a power cut may remove an end from the journal that the store has
  /// already.
  private func isStored(_ workout: UUID) async -> Bool {
    guard let store = files?.store else { return false }
    if (try? await store.wasDeleted(workout)) == true { return true }
    return (try? await SampleQuery(.identifier([workout])).result(for: store).value.isEmpty) == false
  }

  /// A workout is over and its session goes on: the recorder was killed between the two.
  private func endSession(of workout: LiveWorkout, at now: BootInstant) {
    guard let request = workout.request,
      let index = recordings.indices.first(where: { recordings[$0].request?.request.identifier == request }),
      let ending = recordings[index].end(.request, at: now)
    else { return }
    requests.remove(request)
    end(ending, of: index)
    commitSoon(ending.session)
  }

  /// Returns the rates in earlier sessions of its sensor: those in the journal, and those in the store.
  private func earlierRates(of open: OpenWorkout, _ contents: JournalContents) async -> QuantityTrack {
    guard let sensor = open.contents.workout.sensor, let start = open.session.start else { return QuantityTrack() }
    var rates: [(start: Int64, value: Double)] = []
    for found in contents.sessions where found.state != .committed && found.capture.sensor.address == sensor {
      guard let timeline = try? SessionTimeline(log: found.capture.log), timeline.end > start else { continue }
      rates += timeline.rates.filter { $0.time >= start }.map {
        ($0.time.flooredToMilliseconds.microseconds, Double($0.beatsPerMinute))
      }
    }
    if let store = files?.store {
      let predicate = WorkoutSessions.predicate(of: sensor, from: start, to: nil)
      let stored = try? await QuantityQuery(.heartRate, predicate: predicate, from: start).result(for: store).value
      rates += (stored?.quantities).map { zip($0.starts, $0.values).map { ($0, $1) } } ?? []
    }
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
