import CLinux
import Glibc
import Synchronization

/// Syncs a journal on its own thread: within the interval after something was written, sooner after much was written, and
/// otherwise never.
///
/// The thread sleeps until a timer fires, which the first write after a sync arms. So it wakes once for each sync, and not
/// at all while nothing is written.
public final class JournalSyncer: Sendable {
  private let journal: Journal
  private let timer: Timer
  let isStopping = Atomic(false)
  /// The thread, until it has been joined.
  private let thread = Mutex<pthread_t?>(nil)
  /// The callers that wait for the next sync, and whether the last sync has begun.
  private let waiters = Mutex<(list: [CheckedContinuation<JournalError?, Never>], isOver: Bool)>(([], false))
  private let report: @Sendable (JournalError?) -> Void

  /// Starts the thread.
  ///
  /// `interval` is the longest time for which a written record may stay unsynced. A sync begins at three fifths of it,
  /// which leaves time for a slow disk, or for a restart after a kill. What a killed recorder left is synced at once.
  /// `report` is called on the syncing thread after each failed sync, and once with nil when one succeeds again.
  ///
  /// - Throws: ``JournalError`` with `cannotOpen` if the system has no timer or thread left.
  public init(
    _ journal: Journal, interval: Duration = .seconds(5), report: @escaping @Sendable (JournalError?) -> Void
  ) throws(JournalError) {
    self.journal = journal
    self.report = report
    do {
      timer = try Timer(delay: interval * 3 / 5)
    } catch {
      throw JournalError(.cannotOpen, errorNumber: error.number, path: journal.directory)
    }
    try start()
    let timer = timer
    journal.setOnDemand { demand in
      if demand == .atOnce { timer.fire() } else { timer.arm() }
    }
    // The records of a killed recorder have waited long enough.
    if journal.isDirty { timer.fire() }
  }

  /// Returns when everything that was written before this call is durable.
  ///
  /// - Throws: ``JournalError`` with `notSynced` where it is not.
  @concurrent public func syncNow() async throws(JournalError) {
    let failure = await withCheckedContinuation { continuation in
      let isOver = waiters.withLock { waiters in
        if !waiters.isOver { waiters.list.append(continuation) }
        return waiters.isOver
      }
      if isOver { continuation.resume(returning: JournalError(.notSynced, path: journal.directory)) }
      timer.fire()
    }
    // In the other cases the records are durable, in another segment.
    if let failure, failure.code == .notSynced { throw failure }
  }

  /// Syncs once more if something was written, then ends the thread and waits for its end.
  public func stop() {
    journal.setOnDemand(nil)
    isStopping.store(true, ordering: .releasing)
    timer.fire()
    guard let thread = thread.withLock({ $0.take() }) else { return }
    _ = pthread_join(thread, nil)
  }

  private func start() throws(JournalError) {
    let started = unsafe Unmanaged.passRetained(self)
    var made = pthread_t()
    let status = unsafe pthread_create(
      &made, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<JournalSyncer>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, started.toOpaque())
    guard status == 0 else {
      unsafe started.release()
      throw JournalError(.cannotOpen, errorNumber: status, path: journal.directory)
    }
    thread.withLock { $0 = made }
  }

  private func run() {
    var hasFailed = false
    while true {
      timer.wait()
      let isLast = isStopping.load(ordering: .acquiring)
      let waiting = waiters.withLock { waiters in
        waiters.isOver = isLast
        defer { waiters.list = [] }
        return waiters.list
      }
      var failure: JournalError?
      defer { for waiter in waiting { waiter.resume(returning: failure) } }
      do {
        try journal.sync()
        if hasFailed { report(nil) }
        hasFailed = false
      } catch {
        hasFailed = true
        failure = error
        report(error)
        if journal.isDirty { timer.arm() }
        // `stop()` sets the flag before the timer, so the thread sees one of the two, and `stop()` does not wait for an
        // interval.
        if isStopping.load(ordering: .acquiring) { timer.fire() }
      }
      if isLast { return }
    }
  }

  /// A timer that one thread sets and another waits for.
  private struct Timer: Sendable {
    let file: OpenFile
    let delay: timespec

    init(delay: Duration) throws(SystemError) {
      let descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC))
      guard descriptor >= 0 else { throw .last }
      file = OpenFile(descriptor: descriptor)
      let (seconds, attoseconds) = delay.components
      self.delay = timespec(tv_sec: Int(seconds), tv_nsec: max(1, Int(attoseconds / 1_000_000_000)))
    }

    /// Wakes the waiting thread after the delay.
    func arm() {
      set(delay)
    }

    /// Wakes the waiting thread now.
    func fire() {
      set(timespec(tv_sec: 0, tv_nsec: 1))
    }

    func wait() {
      var expirations: UInt64 = 0
      while unsafe read(file.descriptor, &expirations, MemoryLayout<UInt64>.size) < 0, errno == EINTR {}
    }

    private func set(_ delay: timespec) {
      var setting = itimerspec(it_interval: timespec(), it_value: delay)
      _ = unsafe timerfd_settime(file.descriptor, 0, &setting, nil)
    }
  }
}
