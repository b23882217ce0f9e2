extension EventLoop {
  /// A timer that is overdue by more than this, or a packet that waited for longer, means that the loop did not run.
  /// Microseconds.
  private static let stallLimit: Int64 = 1_000_000
  /// For so long timers wait for a flood to be read.
  private static let longestCatchUp: Int64 = 1_000_000

  /// Calls `observer` on the loop's thread whenever the loop finds that it did not run for more than a second: its process was
  /// stopped, got no processor, or the machine slept.
  ///
  /// It is called before anything that waited is handled. Then everything that waits in the descriptors is read, and only then
  /// timers fire: what was sent in time is not to count as missing. It is found out from timers that are due and from
  /// ``noteWaiting(since:)``, without a wakeup of its own.
  ///
  /// - Parameter observer: Gets since when and until when nothing ran, in microseconds of ``BootClock``, as far as that is known;
  ///   nil ends it.
  public func observeStalls(_ observer: ((_ since: Int64, _ until: Int64) -> Void)?) {
    preconditionOnLoop()
    stallObserver = observer
  }

  /// What is read now counts as having come then, in microseconds of ``BootClock``: now, or after a stall the one instant at
  /// which the loop ran again, until everything that waited has been read.
  public var arrivalTime: Int64 { stallEnd ?? BootClock.now() }

  /// Tells that something read now had waited since then, in microseconds of ``BootClock``.
  public func noteWaiting(since arrival: Int64) {
    preconditionOnLoop()
    noteStall(since: arrival)
  }

  /// Looks at the clock after a wait: a timer that was due long ago should have ended it.
  func noteOverdueTimer() {
    // One that is set for the past is not late before it is set.
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

  /// Whether timers may fire again: when nothing waits any more, or a flood does not end.
  func mayEndStall(nothingLeft: Bool) -> Bool {
    guard let stallEnd, nothingLeft || BootClock.now() - stallEnd > Self.longestCatchUp else { return false }
    self.stallEnd = nil
    return true
  }
}
