internal import Glibc
internal import Synchronization

/// The program's first thread, which beside the store's is the only one: it runs the tasks' jobs one after the other, and sleeps in
/// `read` between them.
///
/// The pool of libdispatch looks into /proc while its threads live, where a confined process may not look, and ends the program then; and
/// its manager wakes once a second as long as it has had a thread to look after, where a program that has nothing to do shall sleep.
public final class MainThread: SerialExecutor, TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let wakeDescriptor: Int32
  private let sleepDescriptor: Int32

  /// Nil if the system has no pipe left.
  public init?() {
    var descriptors: [Int32] = [-1, -1]
    guard unsafe pipe(&descriptors) == 0 else { return nil }
    for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    // A pipe that is full has bytes that wake: there is nothing to wait for.
    _ = fcntl(descriptors[1], F_SETFL, O_NONBLOCK)
    sleepDescriptor = descriptors[0]
    wakeDescriptor = descriptors[1]
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let wasEmpty = jobs.withLock { jobs in
      jobs.append(job)
      return jobs.count == 1
    }
    guard wasEmpty else { return }
    var byte: UInt8 = 0
    while unsafe write(wakeDescriptor, &byte, 1) < 0 && errno == EINTR {}
  }

  /// Runs what comes, until something ends the program.
  public func run() -> Never {
    while true {
      let next = jobs.withLock { jobs in
        defer { jobs = [] }
        return jobs
      }
      for job in next {
        unsafe job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      }
      guard next.isEmpty else { continue }
      var bytes: UInt64 = 0
      _ = unsafe read(sleepDescriptor, &bytes, 8)
    }
  }
}
