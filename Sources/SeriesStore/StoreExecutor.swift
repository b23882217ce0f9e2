import CLinux
import Glibc
import Synchronization

/// The thread of one store: it runs the store actor's jobs one after the other, and sleeps in `read` between them.
///
/// SQLite waits for the disk, which the shared thread pool must not; so a store has its own thread. The thread sleeps
/// on a pipe, because Swift has no condition variable without an unchecked promise. An idle store never wakes. If the
/// store's file is observed, the thread also waits for events of the file. Jobs that are queued before the thread is
/// started wait for it.
final class StoreExecutor: SerialExecutor {
  private struct Queue {
    var jobs: [UnownedJob] = []
    var isStopped = false
    var observer: Observer?
  }

  private struct Observer {
    var observation: StoreObservation
    var wasTouched: @Sendable () -> Void
  }

  private let queue = Mutex(Queue())
  private let thread = Mutex<pthread_t?>(nil)
  private let wakeDescriptor: Int32
  private let sleepDescriptor: Int32

  /// Makes a queue without a thread; nil if the system has no pipe left.
  init?() {
    var descriptors: [Int32] = [-1, -1]
    guard unsafe pipe(&descriptors) == 0 else { return nil }
    for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    sleepDescriptor = descriptors[0]
    wakeDescriptor = descriptors[1]
  }

  /// Starts the thread, once; false if the system has none left.
  func start() -> Bool {
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
      return false
    }
    pthread_detach(thread)
    return true
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

  /// Calls `wasTouched` on the thread, between jobs, whenever the observation has events.
  func observe(_ observation: StoreObservation, _ wasTouched: @escaping @Sendable () -> Void) {
    queue.withLock { $0.observer = Observer(observation: observation, wasTouched: wasTouched) }
    wake()
  }

  /// Ends the observation.
  func endObservation() {
    queue.withLock { $0.observer = nil }
  }

  /// Whether the caller is on the thread. An observer's call is not a job, so Swift cannot tell by itself.
  func checkIsolated() {
    precondition(thread.withLock { $0 } == pthread_self(), "not on the store's thread")
  }

  /// Ends the thread after its queued jobs.
  func stop() {
    queue.withLock { $0.isStopped = true }
    wake()
  }

  private func wake() {
    var byte: UInt8 = 0
    while unsafe write(wakeDescriptor, &byte, 1) < 0 && errno == EINTR {}
  }

  private func run() {
    thread.withLock { $0 = pthread_self() }
    _ = unsafe clinux_name_thread("store")
    while true {
      let (jobs, isStopped, observer) = queue.withLock { queue in
        let jobs = queue.jobs
        queue.jobs = []
        return (jobs, queue.isStopped, queue.observer)
      }
      for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
      if jobs.isEmpty {
        if isStopped { return }
        sleep(observer)
      }
    }
  }

  /// Sleeps until there are jobs or events of the observed file.
  private func sleep(_ observer: Observer?) {
    if let observer {
      var waiting = [sleepDescriptor, observer.observation.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      guard unsafe poll(&waiting, 2, -1) > 0 else { return }
      if waiting[1].revents != 0 { observer.wasTouched() }
      guard waiting[0].revents != 0 else { return }
    }
    var bytes: UInt64 = 0
    _ = unsafe read(sleepDescriptor, &bytes, 8)
  }
}
