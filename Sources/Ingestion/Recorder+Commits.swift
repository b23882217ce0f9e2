import DBus
import SeriesStore
import FoundationEssentials
import Sensors

extension Recorder {
  private static let retryInterval: Int64 = 60_000_000

  /// Commits an ended session without waiting for it.
  func commitSoon(_ session: UUID) {
    commits[session] = Task(executorPreference: loop) { await self.commitAndForget(session) }
  }

  private func commitAndForget(_ session: UUID) async {
    await commit(session)
    commits[session] = nil
  }

  /// Commits an ended session; where that fails it stays in the journal and is tried again every minute.
  func commit(_ session: UUID) async {
    guard let committer else { return }
    let seconds = clock.wallMicroseconds() / 1_000_000
    do {
      let committed = try await committer.commit(session, now: seconds)
      storeProblem = nil
      log(
        .notice,
        "session \(session.uuidString.lowercased()) \(committed.outcome.rawValue): rates \(committed.rates), "
          + "beats \(committed.beats), gaps \(committed.gaps)")
      if committed.damages > 0 { log(.warning, "\(committed.damages) records of its journal could not be read") }
      if let failure = committed.archiveFailure { log(.warning, "its capture could not be kept: \(failure)") }
    } catch {
      let reason: String =
        switch error {
        case .journal(let error): "\(error)"
        case .store(let error): "\(error)"
        case .timeline(let error): "its timeline is not valid (\(error)); please report this with its capture"
        }
      if storeProblem != reason {
        log(.error, "session \(session.uuidString.lowercased()) stays in the journal: \(reason)")
      }
      storeProblem = reason
      uncommitted.append(session)
      if !isStopping {
        retryAt = clock.now().advanced(byMicroseconds: Self.retryInterval)
        armTimer(for: retryAt)
      }
    }
    tellStatus()
  }

  /// Tries again what could not be committed.
  func retryCommits() {
    retryAt = nil
    let waiting = uncommitted
    uncommitted = []
    for session in waiting { commitSoon(session) }
  }
}
