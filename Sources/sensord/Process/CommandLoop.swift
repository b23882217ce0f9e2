import CLinux
import DBus
import Glibc
import Recordings
import StoreCommands
import Synchronization

/// Runs the asynchronous work of one command to its end, on the thread that called.
///
/// An event loop serves as the executor: the pool of Swift's own would start threads that a short command never needs.
enum CommandLoop {
  /// The value or the error of `body`.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    try run(on: EventLoop()) { _ in try await body() }
  }

  /// The same on a loop that is already prepared with signals and timers.
  static func run<Value: Sendable>(
    on loop: EventLoop, _ body: @escaping @Sendable (EventLoop) async throws -> Value
  ) throws -> Value {
    let outcome = Outcome<Value>()
    Task(executorPreference: loop) {
      let result: Result<Value, any Error>
      do {
        result = .success(try await body(loop))
      } catch {
        result = .failure(error)
      }
      outcome.result.withLock { $0 = result }
      loop.stop()
    }
    loop.run()
    guard let result = outcome.result.withLock({ $0 }) else {
      throw CommandFailure(.internalError, "the command ended without a result")
    }
    return try result.get()
  }

  /// The same for work that Ctrl-C or SIGTERM ends early: its task is cancelled, and it tidies up before it returns.
  static func runInterruptibly<Value: Sendable>(
    _ body: @escaping @Sendable (EventLoop) async throws -> Value
  ) throws -> Value {
    let loop = try EventLoop()
    let work = Mutex<Task<Value, any Error>?>(nil)
    let isInterrupted = Mutex(false)
    let signals = try loop.watch(signals: [SIGINT, SIGTERM, SIGHUP]) { _ in
      isInterrupted.withLock { $0 = true }
      work.withLock { $0?.cancel() }
    }
    defer { loop.cancel(signals) }
    return try run(on: loop) { loop in
      let task = Task(executorPreference: loop) { try await body(loop) }
      work.withLock { $0 = task }
      if isInterrupted.withLock({ $0 }) { task.cancel() }
      return try await task.value
    }
  }

  private final class Outcome<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
  }
}

/// The events that end work in poll(2): SIGINT, SIGTERM, SIGHUP, or a time limit.
struct EndSignals: ~Copyable {
  /// A descriptor that becomes readable when the work is to end.
  let descriptor: CInt

  /// - Parameter seconds: The time limit; nil for work without one.
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
