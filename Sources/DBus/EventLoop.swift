internal import CLinux
internal import Glibc
internal import Synchronization

/// One thread that waits on epoll: the executor of the actors and tasks that are given to it.
///
/// Everything that happens on it, happens in order: jobs of actors, descriptors that are ready, timers, messages of a
/// ``Connection``. Nothing wakes it while nothing is due. Actors that share a loop call each other without a change of
/// threads, and code on the loop enters one at once with `assumeIsolated`.
///
/// ``run()`` makes the calling thread the loop's thread until ``stop()``.
public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  // SAFETY: what other threads reach is atomic or behind the mutex. Everything else is touched by the loop's thread
  // alone, or by one thread before there is a loop's thread; `preconditionOnLoop()` stands before every use.

  /// Something to be run on the loop's thread.
  enum Work {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  struct Inbox {
    var work: [Work] = []
    /// The eventfd was written and the loop has not looked since.
    var wakePending = false
    var stopRequested = false
  }

  /// How much runs before the loop looks at its descriptors again, so that no task that yields forever starves them.
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
  /// The deadline to which the timerfd is set; nil when it is off.
  var armedDeadline: Int64?
  /// When that was done.
  var armedAt: Int64 = 0
  /// While what waited during a stall is read, and timers are held back for it: when the loop ran again.
  public internal(set) var stallEnd: Int64?
  /// When the last stall ended: what is later than it only by what it held up is no other one.
  var lastStallEnd = Int64.min
  var stallObserver: ((_ since: Int64, _ until: Int64) -> Void)?
  private var lastIdentifier: UInt64 = 1
  private var spareBatch: [Work] = []
  /// What runs when there is no other work, one at a time.
  private var deferred: [() -> Void] = []

  /// A loop that nobody runs yet.
  ///
  /// - Throws: ``DBusError/Code/system(errno:)`` where the kernel gives no descriptors.
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

  /// How often the loop came back from waiting, since it was made: what power it costs.
  public var wakeups: Int { wakeupCount.load(ordering: .relaxed) }

  /// Whether the calling thread is the one that runs the loop.
  public var isCurrent: Bool { thread.load(ordering: .relaxed) == pthread_self() }

  /// Runs what comes, on the calling thread, until ``stop()`` is called. Work that is left over waits for the next run.
  public func run() {
    let (free, _) = thread.compareExchange(expected: 0, desired: pthread_self(), ordering: .sequentiallyConsistent)
    precondition(free, "the loop is running already")
    while !takeStopRequest() {
      let isIdle = runWork()
      armTimer()
      poll(blocking: isIdle)
    }
    thread.store(0, ordering: .sequentiallyConsistent)
  }

  /// Makes ``run()`` return after what it is at; from any thread. A loop that is not running returns at its next start.
  public func stop() {
    let wake = inbox.withLock { inbox in
      inbox.stopRequested = true
      return shouldWake(&inbox)
    }
    if wake { self.wake() }
  }

  /// Runs `work` on the loop's thread, after what is queued there; from any thread.
  public func execute(_ work: @escaping @Sendable () -> Void) {
    add(.closure(work))
  }

  /// Runs `work` on the loop's thread when no job is waiting; the order of several is kept.
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
    // Fails only where the counter is full, and then the loop is awake.
    _ = eventfd_write(wakeEvent.number, 1)
  }

  private func takeStopRequest() -> Bool {
    inbox.withLock { inbox in
      defer { inbox.stopRequested = false }
      return inbox.stopRequested
    }
  }

  /// Runs jobs, and what was deferred when there are none; whether the loop may wait then.
  private func runWork() -> Bool {
    var deferredIndex = 0
    defer { deferred.removeFirst(deferredIndex) }
    for _ in 0..<Self.batchesPerPoll {
      // The two arrays change places, so that their memory is used again and again.
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
        // A stop that came from the loop's own thread wakes nobody.
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
    // After a stall only what is there already is waited for.
    let waits = blocking && stallEnd == nil
    unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: capacity) { events in
      let count = unsafe epoll_wait(epoll.number, events.baseAddress, Int32(capacity), waits ? -1 : 0)
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
          // A watch that was cancelled by a handler of this round is not there any more.
          let readiness = Readiness(rawValue: unsafe event.events)
          watches[identifier]?.handler(readiness)
        }
      }
      // What has come is heard before what is due is judged.
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
