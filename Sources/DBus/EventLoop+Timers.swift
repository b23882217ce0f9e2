import CLinux
import Glibc
import Synchronization

/// Identifies a timer of an ``EventLoop``.
public struct TimerToken: Hashable, Sendable {
  let identifier: UInt64
}

extension EventLoop {
  /// Calls `handler` once on the loop's thread when the boot clock reaches `instant`, or at once if that is past.
  ///
  /// Only on the loop's thread, or before the loop runs. A timer does not wake a suspended machine; it is due when the
  /// machine wakes.
  ///
  /// - Parameters:
  ///   - instant: Microseconds of ``BootClock``.
  ///   - handler: Runs once.
  /// - Returns: A token for ``cancel(_:)-(TimerToken)``.
  public func schedule(at instant: Int64, _ handler: @escaping () -> Void) -> TimerToken {
    preconditionOnLoop()
    let identifier = nextIdentifier()
    timers.insert(instant, identifier: identifier, handler: handler)
    return TimerToken(identifier: identifier)
  }

  /// Calls `handler` once on the loop's thread after `delay`.
  public func schedule(after delay: Duration, _ handler: @escaping () -> Void) -> TimerToken {
    schedule(at: Self.deadline(after: delay), handler)
  }

  /// Cancels a timer; does nothing if it has fired.
  public func cancel(_ timer: TimerToken) {
    preconditionOnLoop()
    timers.cancel(timer.identifier)
  }

  /// Waits without using another thread, unlike `Task.sleep`. May be called from any thread.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(
    for duration: Duration, isolation: isolated (any Actor)? = #isolation
  ) async throws(CancellationError) {
    try await sleep(until: Self.deadline(after: duration))
  }

  /// Waits until the boot clock reads `instant` (microseconds).
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(
    until instant: Int64, isolation: isolated (any Actor)? = #isolation
  ) async throws(CancellationError) {
    let sleeper = Sleeper()
    // With this preference the task resumes on the loop directly, not by way of the global pool.
    let isCancelled = await withTaskExecutorPreference(self) {
      await withTaskCancellationHandler {
        await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
          guard sleeper.begin(continuation) else { return }
          execute {
            guard sleeper.isAsleep else { return }
            let timer = self.schedule(at: instant) { sleeper.end(cancelled: false) }
            sleeper.timer.withLock { $0 = timer }
          }
        }
      } onCancel: {
        sleeper.end(cancelled: true)
        execute {
          if let timer = sleeper.timer.withLock({ $0 }) { self.cancel(timer) }
        }
      }
    }
    if isCancelled { throw CancellationError() }
  }

  func fireTimers() {
    armedDeadline = nil
    // Timers that a handler adds for the past wait for the next round, or two of them could starve everything else.
    let now = BootClock.now()
    while let handler = timers.popDue(at: now) { handler() }
  }

  /// Sets the timerfd to the earliest deadline; makes a system call only if that has changed.
  func armTimer() {
    let deadline = timers.nextDeadline()
    guard deadline != armedDeadline else { return }
    armedDeadline = deadline
    armedAt = BootClock.now()
    var setting = itimerspec()
    if let deadline {
      // A value of zero would switch the timerfd off.
      let instant = max(deadline, 1)
      setting.it_value.tv_sec = Int(instant / 1_000_000)
      setting.it_value.tv_nsec = Int(instant % 1_000_000) * 1_000
    }
    unsafe timerfd_settime(timerEvent.number, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }

  private static func deadline(after delay: Duration) -> Int64 {
    let (seconds, attoseconds) = delay.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !overflow else { return delay < .zero ? .min : .max }
    // Rounded up, so that no timer fires early.
    let (sum, tooLate) = BootClock.now().addingReportingOverflow(
      whole + (attoseconds + 999_999_999_999) / 1_000_000_000_000)
    return tooLate ? .max : sum
  }
}

/// A sleeping task. The timer or the cancellation wakes it, whichever comes first.
private final class Sleeper: Sendable {
  private enum State {
    case awake
    case asleep(CheckedContinuation<Bool, Never>)
    case ended
  }

  private let state = Mutex(State.awake)
  let timer = Mutex<TimerToken?>(nil)

  var isAsleep: Bool {
    state.withLock { if case .asleep = $0 { true } else { false } }
  }

  /// False where it was cancelled before it began.
  func begin(_ continuation: CheckedContinuation<Bool, Never>) -> Bool {
    let begins = state.withLock { state in
      guard case .awake = state else { return false }
      state = .asleep(continuation)
      return true
    }
    if !begins { continuation.resume(returning: true) }
    return begins
  }

  func end(cancelled: Bool) {
    let continuation: CheckedContinuation<Bool, Never>? = state.withLock { state in
      defer { state = .ended }
      if case .asleep(let continuation) = state { return continuation }
      return nil
    }
    continuation?.resume(returning: cancelled)
  }
}

/// Deadlines in order, as a binary heap. Equal deadlines keep the order in which they were added.
struct TimerQueue {
  private struct Entry {
    var deadline: Int64
    var identifier: UInt64

    func precedes(_ other: Entry) -> Bool {
      deadline != other.deadline ? deadline < other.deadline : identifier < other.identifier
    }
  }

  private var heap: [Entry] = []
  private var handlers: [UInt64: () -> Void] = [:]

  var count: Int { handlers.count }

  /// The earliest deadline of a timer that was not cancelled.
  mutating func nextDeadline() -> Int64? {
    while let first = heap.first, handlers[first.identifier] == nil { removeFirst() }
    return heap.first?.deadline
  }

  mutating func insert(_ deadline: Int64, identifier: UInt64, handler: @escaping () -> Void) {
    handlers[identifier] = handler
    heap.append(Entry(deadline: deadline, identifier: identifier))
    siftUp(heap.count - 1)
  }

  mutating func cancel(_ identifier: UInt64) {
    guard handlers.removeValue(forKey: identifier) != nil else { return }
    // Cancelled entries stay in the heap until they are due; most calls are answered long before their timeout.
    if heap.count > 64, heap.count > handlers.count * 2 { compact() }
  }

  /// Removes and returns the first timer that is due at `instant`.
  mutating func popDue(at instant: Int64) -> (() -> Void)? {
    guard let deadline = nextDeadline(), deadline <= instant, let first = heap.first else { return nil }
    removeFirst()
    return handlers.removeValue(forKey: first.identifier)
  }

  private mutating func compact() {
    heap.removeAll { handlers[$0.identifier] == nil }
    // A sorted array is a heap.
    heap.sort { $0.precedes($1) }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    siftDown()
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].precedes(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var least = parent
      for child in (2 * parent + 1)...(2 * parent + 2)
      where child < heap.count && heap[child].precedes(heap[least]) {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}

extension EventLoop {
  /// If a timer is overdue by more than this, or a packet waited for longer, the loop did not run. Microseconds.
  private static let stallLimit: Int64 = 1_000_000
  /// The longest wait of timers while a flood is being read. Microseconds.
  private static let longestCatchUp: Int64 = 1_000_000

  /// Calls `observer` on the loop's thread whenever the loop notices that it did not run for more than a second: the
  /// process was stopped, got no processor, or the machine slept.
  ///
  /// The call comes before anything that waited is handled. Then everything that waits in the descriptors is read, and only
  /// then timers fire, so that what was sent in time does not count as missing. A stall is noticed by overdue timers and by
  /// ``noteWaiting(since:)``, without an additional wakeup.
  ///
  /// - Parameter observer: Gets when the stall began and ended, as far as known, in microseconds of ``BootClock``. nil
  ///   removes the observer.
  public func observeStalls(_ observer: ((_ since: Int64, _ until: Int64) -> Void)?) {
    preconditionOnLoop()
    stallObserver = observer
  }

  /// The arrival time for what is read now, in microseconds of ``BootClock``: the present, or after a stall the instant at
  /// which it ended, until everything that waited has been read.
  public var arrivalTime: Int64 { stallEnd ?? BootClock.now() }

  /// Reports that something read now had waited since `arrival`, in microseconds of ``BootClock``.
  public func noteWaiting(since arrival: Int64) {
    preconditionOnLoop()
    noteStall(since: arrival)
  }

  /// Checks the clock after a wait: a timer that is long overdue shows a stall.
  func noteOverdueTimer() {
    // A timer set for the past is late only from when it was set.
    if let armedDeadline { noteStall(since: max(armedDeadline, armedAt)) }
  }

  private func noteStall(since: Int64) {
    guard stallEnd == nil else { return }
    let now = BootClock.now()
    let since = max(since, lastStallEnd)
    guard now - since > Self.stallLimit else { return }
    stallEnd = now
    lastStallEnd = now
    stallObserver?(since, now)
  }

  /// Whether timers may fire again: nothing waits any more, or the flood has lasted too long.
  func mayEndStall(nothingLeft: Bool) -> Bool {
    guard let stallEnd, nothingLeft || BootClock.now() - stallEnd > Self.longestCatchUp else { return false }
    self.stallEnd = nil
    return true
  }
}

/// The clock that orders all events: `CLOCK_BOOTTIME`, which counts suspended time and cannot be set.
public enum BootClock {
  /// Microseconds since the machine started, suspend included.
  public static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
