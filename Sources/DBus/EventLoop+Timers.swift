internal import CLinux
internal import Glibc
internal import Synchronization

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
