internal import Recordings
internal import Glibc
internal import Ingestion
internal import Logging
internal import Sensors
internal import StoreCommands
internal import Synchronization

/// Keeps the status file and systemd's status line up to date while a recorder runs.
///
/// Nothing is written before ``begin()``: until a recorder has the store's lock, the file may be another's.
final class StatusPublication: Sendable {
  private struct State {
    var hasBegun = false
    var latest: RecorderStatus?
    /// The wall clock's lead over the boot clock, in microseconds, as it was published last.
    var lead: Int64?
    var hasWarned = false
  }

  private let file: StatusFile
  private let store: String
  private let notification: ServiceNotification
  private let logger: Logger
  private let clock = HostClock.system
  private let started = HostClock.system.now()
  private let processIdentifier = getpid()
  private let state = Mutex(State())
  /// The line that systemd has; held by each publication, so that none goes back behind a newer one.
  private let headline = Mutex("")

  init(file: StatusFile, store: String, notification: ServiceNotification, logger: Logger) {
    self.file = file
    self.store = store
    self.notification = notification
    self.logger = logger
  }

  /// From here on the file is this process's.
  func begin() {
    state.withLock { $0.hasBegun = true }
    do {
      try file.prepare()
    } catch {
      warn(error)
    }
    publish()
  }

  /// Publishes each status of a recorder, until the recording has ended.
  func follow(_ events: RecorderEvents) async {
    for await event in events {
      if case .status(let status) = event.kind { update(status) }
    }
  }

  func update(_ status: RecorderStatus) {
    let hasBegun = state.withLock { state in
      state.latest = status
      return state.hasBegun
    }
    if hasBegun { publish() }
  }

  /// Removes the file at the end of the process.
  func withdraw() {
    if state.withLock({ $0.hasBegun }) { file.remove() }
  }

  private func publish() {
    headline.withLock { headline in
      guard let status = state.withLock({ $0.latest }) else { return }
      let line = status.problem ?? StatusReport.headline(status)
      // A line that systemd had no room for goes out with the next status.
      if line != headline, notification.send(.status(line)) { headline = line }
      let now = clock.now().microseconds
      let lead = lead(at: now)
      do {
        try file.write(
          StatusDocument(
            version: SensordCommand.version, processIdentifier: processIdentifier,
            started: started.microseconds &+ lead, updated: now &+ lead, bootMicroseconds: now, store: store,
            status: status))
      } catch {
        warn(error)
      }
    }
  }

  /// The wall clock's lead over the boot clock; the one before where it was not set since then, so that `started` stays.
  private func lead(at now: Int64) -> Int64 {
    let present = clock.wallMicroseconds() &- now
    return state.withLock { state in
      if let lead = state.lead, abs(present &- lead) <= 1_000 { return lead }
      state.lead = present
      return present
    }
  }

  /// Once: the recording goes on without a status file, and a full disk would say so every second.
  private func warn(_ error: any Error) {
    let isFirst = state.withLock { state in
      defer { state.hasWarned = true }
      return !state.hasWarned
    }
    guard isFirst, let failure = CommandFailure(classifying: error) else { return }
    logger.warning("no status for 'sensord status': \(failure.message)")
  }
}
