extension EventLoop {
  /// If a timer is overdue by more than this, or a packet waited for longer, the loop did not run. Microseconds.
  private static let stallLimit: Int64 = 1_000_000
  /// How long timers wait at most while a flood is being read. Microseconds.
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
