import Captures
import DBus
import FoundationEssentials
import HealthModel
import SeriesStore
import Timeline

extension Recorder {
  /// Commits an ended session without waiting for it.
  func commitSoon(_ session: UUID) {
    commits[session] = Task(executorPreference: loop) { await self.commitAndForget(session) }
  }

  private func commitAndForget(_ session: UUID) async {
    await commit(session)
    // After the last commit, while no session is open. No timer of its own: nothing is written then but what a session brings.
    if commits.count == 1, !sensors.recordings.isRecording, !isStopping { await store?.emptyLog() }
    commits[session] = nil
  }

  /// Commits an ended session, series or workout; where that fails it stays in the journal and is tried again every minute.
  func commit(_ session: UUID) async {
    guard let files, let store, let wallClock else { return }
    let name = session.uuidString.lowercased()
    // Series have dates of their own.
    if !series.isOver(session) { await wallClock.lookBeforeCommit() }
    let now = (wall: clock.wallMicroseconds() / 1_000_000, boot: clock.now().microseconds / 1_000_000)
    do throws(SessionCommitter.Failure) {
      do { try writeOwed(ofEnded: session) } catch { throw .journal(error) }
      do { try await store.makeSound() } catch { throw .store(error) }
      if series.isOver(session) {
        let committed = try await files.committer.commit(series: session)
        series.stored(session)
        for line in committed.lines(ofSeries: name) { log(line) }
      } else if workouts.isOver(session) {
        let committed = try await commit(workout: session, with: files, wallClock)
        workouts.stored(session).give()
        await wallClock.stored(committed.clock)
        for line in committed.lines(ofWorkout: name) { log(line) }
      } else {
        let committed = try await files.committer.commit(
          session, now: now, during: Set(workouts.stages.keys), judgement: await wallClock.judgement())
        await wallClock.stored(committed.clock)
        for line in committed.lines(of: name) { log(line) }
      }
      condition.committed()
      await store.countDoubtful()
    } catch {
      if case .store(let error) = error { await store.commitFailed(error) }
      log(condition.commitFailed(name, error.reason))
      commitQueue.failed(session, at: clock.now(), isLast: isStopping)
      armTimer(for: commitQueue.retryAt)
    }
    publishStatus()
  }

  /// Returns when no commit is under way.
  package func commitsEnded() async {
    while let commit = commits.values.first { await commit.value }
  }
}

extension SessionCommitter.Committed {
  /// The log's lines on a session.
  fileprivate func lines(of name: String) -> [LogLine] {
    var lines = [
      LogLine(
        .notice, "session \(name) \(outcome?.rawValue ?? "was empty"): rates \(rates), beats \(beats), gaps \(gaps)")
    ]
    lines += damageLines
    lines += deletedCaptures.map { deletion in
      let session = deletion.capture.session.uuidString.lowercased()
      let reason =
        deletion.reason == .age ? "is older than 'keep' allows" : "makes the folder larger than 'size' allows"
      return LogLine(.notice, "the capture of session \(session) \(reason) and was deleted; the session stays stored")
    }
    if let archiveFailure { lines.append(LogLine(.warning, "its capture could not be kept: \(archiveFailure)")) }
    return lines
  }

  /// The log's lines on a series: empty unless values were lost, since programs may insert many series.
  fileprivate func lines(ofSeries name: String) -> [LogLine] {
    damages.isEmpty ? [] : [LogLine(.warning, "series \(name) \(outcome?.rawValue ?? "was empty")")] + damageLines
  }

  /// The log's lines on a workout.
  fileprivate func lines(ofWorkout name: String) -> [LogLine] {
    [LogLine(.notice, "workout \(name) \(outcome?.rawValue ?? "was empty")")] + damageLines
  }

  private var damageLines: [LogLine] {
    guard !damages.isEmpty else { return [] }
    var lines = [LogLine(.warning, "\(damages.count) records of its journal could not be read")]
    for damage in damages {
      guard case .unreadable(_) = damage.reason else { continue }
      lines.append(LogLine(.warning, "journal: \(damage); the segment is kept aside"))
    }
    return lines
  }
}

extension SessionCommitter.Failure {
  /// Why, in a few words.
  fileprivate var reason: String {
    switch self {
    case .journal(let error): "\(error)"
    case .store(let error): "\(error)"
    case .timeline(let error): "its timeline is not valid (\(error)); please report this with its capture"
    case .workout(let error): "its calls make no workout (\(error)); please report this"
    case .sessionsMissing: "a session of it is not stored yet"
    }
  }
}
