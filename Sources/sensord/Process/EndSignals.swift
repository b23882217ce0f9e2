internal import Recordings
internal import CLinux
internal import Glibc

/// What ends work that waits in poll(2): SIGINT, SIGTERM, SIGHUP, or the time that it was given.
struct EndSignals: ~Copyable {
  /// Readable when it is to end.
  let descriptor: CInt

  /// - Parameter seconds: After so many seconds it ends by itself; nil never.
  /// - Throws: 70 where the system gives no descriptor.
  init(after seconds: Int?) throws(FileError) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGALRM] { unsafe sigaddset(&set, signal) }
    let blocked = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = blocked == 0 ? unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC)) : -1
    guard descriptor >= 0 else { throw FileError(errno, "cannot wait for signals", otherwise: .system) }
    if let seconds { alarm(UInt32(clamping: seconds)) }
  }

  deinit {
    alarm(0)
    close(descriptor)
  }
}
