import DBus
import Glibc

/// The writing end of the pipe through which the answer of a query goes to a client. The pipe belongs to the door's
/// thread.
///
/// While the client does not read, nothing is done for it but to wait, and not for ever.
final class AnswerSender {
  /// The longest time that a client may read nothing, before it is cut off.
  static let patience = Duration.seconds(30)

  /// The connection that reads.
  let reader: String
  private let loop: EventLoop
  private let descriptor: FileDescriptor
  private var waiting: (CheckedContinuation<Bool, Never>, WatchToken, TimerToken)?
  /// Nothing more is to be written.
  private(set) var isCut = false

  /// A client that closes its end must not end the process; called on the thread that writes.
  static func blockSignal() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// - Returns: The pipe, and the end for the client.
  /// - Throws: ``DBus/DBusError`` where the system has no descriptors left.
  static func open(to reader: String, on loop: EventLoop) throws(DBusError) -> (
    pipe: AnswerSender, end: SharedDescriptor
  ) {
    var numbers: [Int32] = [-1, -1]
    guard unsafe Glibc.pipe(&numbers) == 0 else { throw DBusError(.system(errno: errno), "no pipe is left") }
    let end = SharedDescriptor(FileDescriptor(owning: numbers[0]))
    let own = FileDescriptor(owning: numbers[1])
    for number in numbers { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    // Of the writing end only: the client's end is its own.
    _ = fcntl(own.number, F_SETFL, O_NONBLOCK)
    return (AnswerSender(own, to: reader, on: loop), end)
  }

  private init(_ descriptor: consuming FileDescriptor, to reader: String, on loop: EventLoop) {
    self.descriptor = descriptor
    self.reader = reader
    self.loop = loop
  }

  /// Writes all of the bytes.
  ///
  /// - Returns: False if the client has closed its end, does not read, or was cut off.
  func write(_ bytes: [UInt8], isolation: isolated (any Actor)? = #isolation) async -> Bool {
    var written = 0
    while written < bytes.count {
      guard !isCut else { return false }
      let count = unsafe bytes[written...].withUnsafeBytes {
        unsafe Glibc.write(descriptor.number, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        guard await isWritable() else { return false }
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  /// Ends what is being written.
  func cut() {
    isCut = true
    resume(false)
  }

  private func isWritable(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await withCheckedContinuation { continuation in
      let timer = loop.schedule(after: Self.patience) { [weak self] in self?.resume(false) }
      do throws(DBusError) {
        let watch = try loop.watch(descriptor.number, for: .writable) { [weak self] _ in self?.resume(true) }
        waiting = (continuation, watch, timer)
      } catch {
        loop.cancel(timer)
        continuation.resume(returning: false)
      }
    }
  }

  private func resume(_ isWritable: Bool) {
    guard let (continuation, watch, timer) = waiting else { return }
    waiting = nil
    loop.cancel(watch)
    loop.cancel(timer)
    continuation.resume(returning: isWritable)
  }
}
