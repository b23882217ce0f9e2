import Glibc
import Synchronization

/// The thread of one store: runs the store actor's jobs one after the other, and sleeps in `read` between them.
///
/// A thread of its own, since SQLite waits for the disk, and the shared pool must not; a pipe to sleep on, since a
/// condition variable's memory cannot be shared under Swift's rules without an unchecked promise. An idle store wakes
/// never.
final class StoreExecutor: SerialExecutor {
  private struct Queue {
    var jobs: [UnownedJob] = []
    var isStopped = false
  }

  private let queue = Mutex(Queue())
  private let wakeDescriptor: Int32
  private let sleepDescriptor: Int32

  /// Starts the thread; nil where the system gives no pipe or no thread.
  init?() {
    var descriptors: [Int32] = [-1, -1]
    guard unsafe pipe(&descriptors) == 0 else { return nil }
    for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    sleepDescriptor = descriptors[0]
    wakeDescriptor = descriptors[1]
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(self)
    let created = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<StoreExecutor>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard created == 0 else {
      unsafe context.release()
      return nil
    }
    pthread_detach(thread)
  }

  deinit {
    close(wakeDescriptor)
    close(sleepDescriptor)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let wasEmpty = queue.withLock { queue in
      queue.jobs.append(job)
      return queue.jobs.count == 1
    }
    if wasEmpty { wake() }
  }

  /// Lets the thread end once its jobs are done.
  func stop() {
    queue.withLock { $0.isStopped = true }
    wake()
  }

  private func wake() {
    var byte: UInt8 = 0
    while unsafe write(wakeDescriptor, &byte, 1) < 0 && errno == EINTR {}
  }

  private func run() {
    while true {
      let (jobs, isStopped) = queue.withLock { queue in
        let jobs = queue.jobs
        queue.jobs = []
        return (jobs, queue.isStopped)
      }
      for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
      if jobs.isEmpty {
        if isStopped { return }
        var bytes: UInt64 = 0
        _ = unsafe read(sleepDescriptor, &bytes, 8)
      }
    }
  }
}
