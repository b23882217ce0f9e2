internal import CLinux
internal import Glibc
internal import Synchronization

/// Names a timer of an ``EventLoop``.
public struct TimerToken: Hashable, Sendable {
  let identifier: UInt64
}

extension EventLoop {
  /// Calls `handler` once on the loop's thread when the boot clock reads `instant`, or at once where that is past.
  ///
  /// Only on the loop's thread, or before the loop runs. A suspended machine is not woken; the timer is due when it wakes.
  ///
  /// - Parameters:
  ///   - instant: Microseconds of ``BootClock``.
  ///   - handler: Runs once.
  /// - Returns: What ``cancel(_:)-(TimerToken)`` takes.
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

  /// Forgets a timer; nothing where it has fired.
  public func cancel(_ timer: TimerToken) {
    preconditionOnLoop()
    timers.cancel(timer.identifier)
  }

  /// Waits without a thread of its own, unlike `Task.sleep`; from any thread.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(for duration: Duration) async throws(CancellationError) {
    try await sleep(until: Self.deadline(after: duration))
  }

  /// Waits until the boot clock reads `instant` (microseconds).
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until instant: Int64) async throws(CancellationError) {
    let sleeper = Sleeper()
    // With the preference the task goes on here, on the loop, and not by way of the global pool.
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
    // Those that a handler adds for the past wait for the next round, or two timers could starve everything else.
    let now = BootClock.now()
    while let handler = timers.popDue(at: now) { handler() }
  }

  /// Sets the timerfd to the earliest deadline, with a system call only where that has changed.
  func armTimer() {
    let deadline = timers.nextDeadline()
    guard deadline != armedDeadline else { return }
    armedDeadline = deadline
    armedAt = BootClock.now()
    var setting = itimerspec()
    if let deadline {
      // All zero would switch it off.
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
    // Rounded up, so that no timer is early.
    let (sum, tooLate) = BootClock.now().addingReportingOverflow(
      whole + (attoseconds + 999_999_999_999) / 1_000_000_000_000)
    return tooLate ? .max : sum
  }
}

/// One task that sleeps: whoever comes first, the timer or the cancellation, wakes it.
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
