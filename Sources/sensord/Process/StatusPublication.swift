import Documents
import Glibc
import Ingestion
import Logging
import Reports
import Support
import Synchronization
import Timeline

/// Updates the status file and systemd's status line while a recorder runs.
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

  /// Begins to write: from here on the file is this process's.
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

  /// Logs the first error only: the recording goes on without a status file, and a full disk would fail every second.
  private func warn(_ error: any Error) {
    let isFirst = state.withLock { state in
      defer { state.hasWarned = true }
      return !state.hasWarned
    }
    guard isFirst, let failure = CommandFailure(classifying: error) else { return }
    logger.warning("no status for 'sensord status': \(failure.message)")
  }
}

/// Reports of a service to systemd (`sd_notify(3)`): one datagram to the socket that `NOTIFY_SOCKET` names.
///
/// The protocol is documented as stable, so a few lines do instead of libsystemd. Without the variable nothing is sent.
struct ServiceNotification {
  enum State: Hashable {
    /// The store is locked, and the journal was read: values that arrive now are recorded.
    case ready
    case stopping
    /// The loop still turns.
    case watchdog
    /// One line for `systemctl status`.
    case status(String)

    var datagram: String {
      switch self {
      case .ready: "READY=1\n"
      case .stopping: "STOPPING=1\n"
      case .watchdog: "WATCHDOG=1\n"
      case .status(let text): "STATUS=\(PrintableText.line(text))\n"
      }
    }
  }

  private let socketPath: String?
  /// The interval of ``State/watchdog``: half the time that systemd waits for; nil where systemd does not wait.
  let watchdogInterval: Duration?

  init(environment: ProcessEnvironment, processIdentifier: Int32 = getpid()) {
    socketPath = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    let isForUs = environment["WATCHDOG_PID"].map { $0 == String(processIdentifier) } ?? true
    watchdogInterval = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { microseconds in
      isForUs && microseconds > 0 ? .microseconds(microseconds / 2) : nil
    }
  }

  /// Sends `states` in one datagram. A failure is left to systemd's own time limits.
  ///
  /// While systemd does not read (the queue holds ten), only reports that it must have are waited for: the loop must not stand
  /// still for a line of status, and a sign of life is followed by the next.
  ///
  /// - Returns: Whether systemd has the states, or does not want them.
  @discardableResult
  func send(_ states: State...) -> Bool {
    guard let socketPath, var address = Self.address(socketPath) else { return true }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let bytes = Array(states.map(\.datagram).joined().utf8)
    let mustArrive = states.contains(.ready) || states.contains(.stopping)
    let flags = Int32(MSG_NOSIGNAL) | (mustArrive ? 0 : Int32(MSG_DONTWAIT))
    let length = socklen_t(MemoryLayout<sa_family_t>.size + socketPath.utf8.count)
    let sent = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe sendto(descriptor, bytes, bytes.count, flags, generic, length)
      }
    }
    return sent == bytes.count
  }

  /// `@` at the start stands for the NUL byte of an abstract socket. Nil where the path is too long for a socket.
  private static func address(_ path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return address
  }
}
