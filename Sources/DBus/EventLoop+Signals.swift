internal import CLinux
internal import Glibc

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
