internal import Documents
internal import Recordings
internal import Glibc

/// What a service reports to systemd (`sd_notify(3)`): one datagram to the socket that `NOTIFY_SOCKET` names.
///
/// The protocol is documented as stable, so a few lines do instead of libsystemd. Without the variable nothing is sent.
struct ServiceNotification {
  enum State: Hashable {
    /// The store is locked, the journal read: values that arrive now are kept.
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
  /// How often ``State/watchdog`` must be sent: half of what systemd waits for; nil where it does not wait.
  let watchdogInterval: Duration?

  init(environment: ProcessEnvironment, processIdentifier: Int32 = getpid()) {
    socketPath = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    let isForUs = environment["WATCHDOG_PID"].map { $0 == String(processIdentifier) } ?? true
    watchdogInterval = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { microseconds in
      isForUs && microseconds > 0 ? .microseconds(microseconds / 2) : nil
    }
  }

  /// Sends `states` in one datagram. A failure is systemd's to notice, by its own time limits.
  ///
  /// Where systemd does not read (its queue holds ten), only what it must know is waited for: the loop must not stand still
  /// for a line of status, and a sign of life is followed by the next.
  ///
  /// - Returns: Whether systemd has it, or nobody wants it.
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
