import CLinux
import Glibc
import Synchronization

/// A thread that waits on epoll: the executor of the actors and tasks that are given to it.
///
/// Jobs of actors, ready descriptors, timers and messages of a ``Connection`` all run on it, in order. While nothing is
/// due, nothing wakes it. Actors on the same loop call each other without a change of threads, and code on the loop enters
/// an actor at once with `assumeIsolated`.
///
/// ``run()`` makes the calling thread the loop's thread until ``stop()``.
public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  // SAFETY: what other threads reach is atomic or behind the mutex. Everything else is touched by the loop's thread alone,
  // or by one thread before the loop runs; `preconditionOnLoop()` stands before every use.

  /// Something to be run on the loop's thread.
  enum Work {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  struct Inbox {
    var work: [Work] = []
    /// The eventfd was written since the loop last checked.
    var wakePending = false
    var stopRequested = false
  }

  /// The number of jobs that run before the loop polls its descriptors again, so that a task that yields for ever
  /// cannot starve them.
  private static let batchesPerPoll = 256

  let inbox = Locked(Inbox())
  /// The loop's thread; 0 while nobody runs it.
  let thread = Atomic<UInt>(0)
  private let wakeupCount = Atomic<Int>(0)

  let epoll: FileDescriptor
  let wakeEvent: FileDescriptor
  let timerEvent: FileDescriptor

  var watches: [UInt64: WatchRecord] = [:]
  var timers = TimerQueue()
  /// The deadline to which the timerfd is set; nil if it is off.
  var armedDeadline: Int64?
  /// When the timerfd was set.
  var armedAt: Int64 = 0
  /// The end of a stall, while what waited during it is read and timers are held back; else nil.
  public internal(set) var stallEnd: Int64?
  /// The end of the last stall. A delay that is due to that stall alone is not another one.
  var lastStallEnd = Int64.min
  var stallObserver: ((_ since: Int64, _ until: Int64) -> Void)?
  private var lastIdentifier: UInt64 = 1
  private var spareBatch: [Work] = []
  /// Work for when nothing else is queued, run one at a time.
  private var deferred: [() -> Void] = []

  /// Creates a loop that no thread runs yet.
  ///
  /// - Throws: ``DBusError/Code/system(errno:)`` if the kernel has no descriptors left.
  public init() throws(DBusError) {
    let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw .lastSystemError("creating an epoll descriptor") }
    self.epoll = FileDescriptor(owning: epoll)
    let wakeEvent = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wakeEvent >= 0 else { throw .lastSystemError("creating an eventfd") }
    self.wakeEvent = FileDescriptor(owning: wakeEvent)
    let timerEvent = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    guard timerEvent >= 0 else { throw .lastSystemError("creating a timerfd") }
    self.timerEvent = FileDescriptor(owning: timerEvent)
    // Edge-triggered, so that neither has to be read: one system call less for each wakeup.
    try control(EPOLL_CTL_ADD, wakeEvent, EPOLLIN.rawValue | EPOLLET.rawValue, identifier: Self.wakeIdentifier)
    try control(EPOLL_CTL_ADD, timerEvent, EPOLLIN.rawValue | EPOLLET.rawValue, identifier: Self.timerIdentifier)
  }

  static let wakeIdentifier: UInt64 = 0
  static let timerIdentifier: UInt64 = 1

  /// The number of times that the loop has returned from waiting: a measure of its power consumption.
  public var wakeups: Int { wakeupCount.load(ordering: .relaxed) }

  /// Whether the calling thread is the one that runs the loop.
  public var isCurrent: Bool { thread.load(ordering: .relaxed) == pthread_self() }

  /// Runs the loop on the calling thread until ``stop()``. Remaining work waits for the next run.
  public func run() {
    let (free, _) = thread.compareExchange(expected: 0, desired: pthread_self(), ordering: .sequentiallyConsistent)
    precondition(free, "the loop is running already")
    while !consumeStopRequest() {
      let isIdle = runWork()
      armTimer()
      poll(blocking: isIdle)
    }
    thread.store(0, ordering: .sequentiallyConsistent)
  }

  /// Makes ``run()`` return after its current work; from any thread. A loop that is not running returns at its next start.
  public func stop() {
    let wake = inbox.withLock { inbox in
      inbox.stopRequested = true
      return shouldWake(&inbox)
    }
    if wake { self.wake() }
  }

  /// Runs `work` on the loop's thread after the work already queued; from any thread.
  public func execute(_ work: @escaping @Sendable () -> Void) {
    add(.closure(work))
  }

  /// Runs `work` on the loop's thread when no job is waiting; several run in order.
  func runWhenIdle(_ work: @escaping () -> Void) {
    preconditionOnLoop()
    deferred.append(work)
  }

  func add(_ work: Work) {
    let wake = inbox.withLock { inbox in
      inbox.work.append(work)
      return shouldWake(&inbox)
    }
    if wake { self.wake() }
  }

  func preconditionOnLoop() {
    let thread = thread.load(ordering: .relaxed)
    precondition(thread == 0 || thread == pthread_self(), "only the loop's own thread may do this")
  }

  func nextIdentifier() -> UInt64 {
    lastIdentifier += 1
    return lastIdentifier
  }

  private func shouldWake(_ inbox: inout Inbox) -> Bool {
    guard !inbox.wakePending, !isCurrent else { return false }
    inbox.wakePending = true
    return true
  }

  private func wake() {
    // Fails only if the counter is full, and then the loop is awake.
    _ = eventfd_write(wakeEvent.number, 1)
  }

  private func consumeStopRequest() -> Bool {
    inbox.withLock { inbox in
      defer { inbox.stopRequested = false }
      return inbox.stopRequested
    }
  }

  /// Runs jobs, and deferred work if there are none. Returns whether the loop may wait.
  private func runWork() -> Bool {
    var deferredIndex = 0
    defer { deferred.removeFirst(deferredIndex) }
    for _ in 0..<Self.batchesPerPoll {
      // The two arrays are swapped, so that their memory is reused.
      var batch = spareBatch
      spareBatch = []
      let isStopRequested = inbox.withLock { inbox in
        swap(&inbox.work, &batch)
        inbox.wakePending = false
        return inbox.stopRequested
      }
      let wasEmpty = batch.isEmpty
      for work in batch { run(work) }
      batch.removeAll(keepingCapacity: batch.capacity <= 4096)
      spareBatch = batch
      if wasEmpty {
        // A stop from the loop's own thread does not need to wake it.
        guard deferredIndex < deferred.count else { return !isStopRequested }
        let work = deferred[deferredIndex]
        deferredIndex += 1
        work()
      }
    }
    return false
  }

  private func poll(blocking: Bool) {
    let capacity = 32
    // After a stall only descriptors that are ready already are handled, without waiting.
    let waits = blocking && stallEnd == nil
    unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: capacity) { events in
      // Never missing where there is room; glibc 2.41 declares that the call needs it.
      guard let first = events.baseAddress else { return }
      let count = unsafe epoll_wait(epoll.number, first, Int32(capacity), waits ? -1 : 0)
      if waits { wakeupCount.add(1, ordering: .relaxed) }
      noteOverdueTimer()
      var isTimerDue = false
      var hasRead = false
      for index in 0..<max(0, Int(count)) {
        let event = unsafe events[index]
        let identifier = unsafe event.data.u64
        switch identifier {
        case Self.wakeIdentifier: break
        case Self.timerIdentifier: isTimerDue = true
        default:
          hasRead = true
          // A watch that an earlier handler of this round cancelled is gone.
          let readiness = Readiness(rawValue: unsafe event.events)
          watches[identifier]?.handler(readiness)
        }
      }
      // Descriptors are read before timers fire.
      if stallEnd != nil {
        if mayEndStall(nothingLeft: blocking && !hasRead) { fireTimers() }
      } else if isTimerDue {
        fireTimers()
      }
    }
  }

  func control(
    _ operation: Int32, _ descriptor: Int32, _ events: UInt32, identifier: UInt64
  ) throws(DBusError) {
    var event = unsafe epoll_event()
    unsafe event.events = events
    unsafe event.data.u64 = identifier
    guard unsafe epoll_ctl(epoll.number, operation, descriptor, &event) == 0 else {
      throw .lastSystemError("watching a descriptor")
    }
  }
}

/// A value behind a pthread mutex.
///
/// Not `Synchronization.Mutex`: it waits for a held lock inside the standard library, where the thread sanitizer does not
/// see it. The sanitizer would then report everything that goes through the event loop's inbox as a race.
@safe final class Locked<Value>: @unchecked Sendable {
  // SAFETY: the value is only accessed between lock and unlock; the mutex has an address of its own and never moves.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  init(_ value: Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe pthread_mutex_init(mutex, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
