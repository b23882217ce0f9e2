/// Syncs a journal on a thread of its own: within the interval after something was written, and never otherwise.
public final class JournalSyncer: Sendable {
  /// Starts the thread. It sleeps without waking until something is written.
  ///
  /// - Parameters:
  ///   - interval: The longest time for which a written record may be without a sync; the sync is begun at four fifths
  ///     of it, so that it is over in time.
  ///   - report: Called on the syncing thread after each sync that failed, and once with nil when one succeeds again.
  public init(
    _ journal: Journal, interval: Duration = .seconds(5), report: @escaping @Sendable (JournalError?) -> Void
  ) {
  }

  /// Syncs once more if something was written, ends the thread and waits for its end.
  public func stop() {
  }
}
