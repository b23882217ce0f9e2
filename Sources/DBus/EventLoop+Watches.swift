import CLinux
import Glibc

/// Identifies a watched descriptor of an ``EventLoop``.
public struct WatchToken: Hashable, Sendable {
  let identifier: UInt64
}

struct WatchRecord {
  var descriptor: Int32
  var handler: (Readiness) -> Void
}

extension EventLoop {
  /// Calls `handler` on the loop's thread for as long as `descriptor` is ready (level-triggered).
  ///
  /// Only on the loop's thread, or before the loop runs. The caller keeps the descriptor open until it has cancelled the
  /// watch.
  ///
  /// - Parameters:
  ///   - descriptor: A socket, pipe or the like.
  ///   - events: The kinds of readiness to watch for; hang-up and error are always reported.
  ///   - handler: Gets what the descriptor is ready for.
  /// - Returns: A token for ``cancel(_:)-(WatchToken)``.
  /// - Throws: ``DBusError/Code/system(errno:)``, for a regular file or one that is watched already.
  public func watch(
    _ descriptor: Int32, for events: Readiness, _ handler: @escaping (Readiness) -> Void
  ) throws(DBusError) -> WatchToken {
    preconditionOnLoop()
    let identifier = nextIdentifier()
    try control(EPOLL_CTL_ADD, descriptor, events.rawValue, identifier: identifier)
    watches[identifier] = WatchRecord(descriptor: descriptor, handler: handler)
    return WatchToken(identifier: identifier)
  }

  /// Changes what a descriptor is watched for; does nothing if the watch was cancelled.
  ///
  /// - Throws: ``DBusError/Code/system(errno:)``.
  public func change(_ token: WatchToken, to events: Readiness) throws(DBusError) {
    preconditionOnLoop()
    guard let watch = watches[token.identifier] else { return }
    try control(EPOLL_CTL_MOD, watch.descriptor, events.rawValue, identifier: token.identifier)
  }

  /// Ends a watch. Its handler is not called again, not even for events that the kernel has already reported.
  public func cancel(_ token: WatchToken) {
    preconditionOnLoop()
    guard let watch = watches.removeValue(forKey: token.identifier) else { return }
    // Fails only if the descriptor was closed too early; then the kernel has removed it.
    try? control(EPOLL_CTL_DEL, watch.descriptor, 0, identifier: token.identifier)
  }
}

/// The kinds of readiness that a descriptor is watched for, or that it has.
public struct Readiness: OptionSet, Hashable, Sendable {
  public var rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
  public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
  /// The other side has closed; what it wrote can still be read. Always reported.
  public static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue)
  /// Always reported.
  public static let error = Readiness(rawValue: EPOLLERR.rawValue)
}

extension EventLoop {
  /// Receives signals (`SIGTERM` …) as events: `handler` is called with the number, on the loop's thread.
  ///
  /// The signals are blocked for the calling thread and those that it starts later, so call this before there are other
  /// threads. They stay blocked after the watch is cancelled.
  ///
  /// - Throws: ``DBusError/Code/system(errno:)``.
  public func watch(signals: [Int32], _ handler: @escaping (Int32) -> Void) throws(DBusError) -> WatchToken {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    let blocked = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    guard blocked == 0 else { throw DBusError(.system(errno: blocked), "blocking signals") }
    let number = unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    guard number >= 0 else { throw .lastSystemError("creating a signalfd") }
    let descriptor = SignalSource(number)
    return try watch(number, for: .readable) { _ in
      while let signal = descriptor.next() { handler(signal) }
    }
  }
}

/// Owns a signalfd, which is closed together with the watch that holds this object.
private final class SignalSource {
  private let descriptor: FileDescriptor

  init(_ number: Int32) {
    descriptor = FileDescriptor(owning: number)
  }

  func next() -> Int32? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard unsafe read(descriptor.number, &information, size) == size else { return nil }
    return Int32(information.ssi_signo)
  }
}
