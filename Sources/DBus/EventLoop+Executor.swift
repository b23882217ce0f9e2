internal import CLinux
internal import Glibc

extension EventLoop {
  public func enqueue(_ job: consuming ExecutorJob) {
    add(.job(UnownedJob(job)))
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }

  /// Lets `assumeIsolated` work in handlers, which run on the loop's thread outside of any task.
  public func checkIsolated() {
    precondition(isCurrent, "not on the thread of the event loop")
  }

  public func isIsolatingCurrentContext() -> Bool? {
    isCurrent
  }

  func run(_ work: Work) {
    switch work {
    case .job(let job):
      unsafe job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    case .closure(let closure):
      closure()
    }
  }

  /// Runs a new loop on a thread of its own, until ``stop()``.
  ///
  /// - Parameter name: The thread's name in the system's tools, of which it shows 15 bytes.
  /// - Returns: The loop, running.
  /// - Throws: ``DBusError/Code/system(errno:)``.
  public static func startThread(named name: String) throws(DBusError) -> EventLoop {
    let loop = try EventLoop()
    try loop.startThread(named: name)
    return loop
  }

  /// Runs the loop on a thread of its own, until ``stop()``. Signals that the calling thread blocks are blocked there, too.
  ///
  /// - Parameter name: As of the other form.
  /// - Throws: ``DBusError/Code/system(errno:)``.
  public func startThread(named name: String) throws(DBusError) {
    var thread = pthread_t()
    let start = unsafe Unmanaged.passRetained(ThreadStart(loop: self, name: name))
    let result = unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let start = unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
        _ = unsafe clinux_name_thread(String(start.name.prefix(15)))
        start.loop.run()
        return nil
      }, start.toOpaque())
    guard result == 0 else {
      unsafe start.release()
      throw DBusError(.system(errno: result), "starting a thread")
    }
    pthread_detach(thread)
  }

  private final class ThreadStart: Sendable {
    let loop: EventLoop
    let name: String

    init(loop: EventLoop, name: String) {
      self.loop = loop
      self.name = name
    }
  }
}
