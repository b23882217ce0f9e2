import Captures
import DBus
import SeriesStore
import FoundationEssentials
import HealthModel
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
    do throws(SessionCommitter.Failure) {
      do { try settleEnding(of: session) } catch { throw .journal(error) }
      do { try await ensureStore() } catch { throw .store(error) }
      let committed = try await committer.commit(session, now: seconds)
      storeProblem = nil
      log(
        .notice,
        "session \(session.uuidString.lowercased()) \(committed.outcome?.rawValue ?? "was empty"): "
          + "rates \(committed.rates), beats \(committed.beats), gaps \(committed.gaps)")
      if !committed.damages.isEmpty {
        log(.warning, "\(committed.damages.count) records of its journal could not be read")
        for damage in committed.damages {
          if case .unreadable(_) = damage.reason { log(.warning, "journal: \(damage); the segment is kept aside") }
        }
      }
      if let failure = committed.archiveFailure { log(.warning, "its capture could not be kept: \(failure)") }
    } catch {
      if case .store(let error) = error, error.code == .io || error.code == .closed { isStoreDoubtful = true }
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

  /// Opens the store anew where its disk failed or somebody deleted it: a commit into what is open then may be lost.
  func ensureStore() async throws(StoreError) {
    guard let store else { return }
    if !isStoreDoubtful {
      guard try await store.hasVanished() else { return }
      log(.error, "the store was deleted or replaced; going on with what is at its place, or a new one")
      isStoreDoubtful = true
      hasStoreVanished = true
    }
    if hasStoreVanished { try? makeFolder(of: settings.store) }
    try await store.reopen()
    guard hasStoreVanished else { return isStoreDoubtful = false }
    // The list was in it too. A store that was put in its place has one of its own.
    if try await store.allowedSensors().isEmpty {
      for channel in channels.values.sorted(by: { $0.address < $1.address }) where !channel.isUnlisted {
        let sensor = AllowedSensor(
          address: channel.address.description, name: channel.name,
          added: Timestamp(microseconds: clock.wallMicroseconds()))
        _ = try await store.allow(sensor)
      }
    }
    // Its changes are counted from the beginning.
    lastErasedChange = .start
    isStoreDoubtful = false
    hasStoreVanished = false
    watchStore()
    guard !isStopping else { return }
    await loadAllowedSensors()
    await eraseDeleted()
  }

  /// Returns when no commit is under way.
  package func commitsEnded() async {
    while let commit = commits.values.first { await commit.value }
  }

  /// Tries again what could not be committed.
  func retryCommits() {
    retryAt = nil
    let waiting = uncommitted
    uncommitted = []
    for session in waiting { commitSoon(session) }
  }

  /// Erases what the journal and the kept captures hold of sessions that somebody deleted.
  func eraseDeleted() async {
    guard let committer else { return }
    do {
      lastErasedChange = try await committer.eraseDeleted(after: lastErasedChange)
    } catch {
      log(.error, "a deleted session is not erased from the journal or the captures yet: \(error)")
    }
  }
}
