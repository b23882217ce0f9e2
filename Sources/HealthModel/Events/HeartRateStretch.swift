/// A stretch of rates beyond a threshold, until it has lasted for ten minutes.
///
/// Constant memory. Times may be of any clock, as long as all are of the same.
struct HeartRateStretch: Hashable, Sendable {
  /// The first rate of the stretch.
  private var start: Timestamp?
  /// The latest rate of the stretch.
  private var latest: Timestamp?
  /// Whether the stretch has been told of.
  private var isTold = false

  /// How long a stretch has to last, in microseconds: HealthKit's ten minutes.
  static let duration: Int64 = 600_000_000
  /// Rates that are further apart are of two stretches, in microseconds: nobody knows what was in between.
  static let greatestGap: Int64 = 30_000_000

  /// A rate beyond the threshold arrived.
  ///
  /// - Returns: The time from the stretch's first rate to this one, where this is the first with which it has lasted long
  ///   enough. The rest of the stretch leads to nothing.
  mutating func add(_ time: Timestamp) -> TimeSpan? {
    if let latest, time < latest || time.microseconds(since: latest) > Self.greatestGap { self = HeartRateStretch() }
    latest = time
    let start = start ?? time
    self.start = start
    guard !isTold, time.microseconds(since: start) >= Self.duration else { return nil }
    isTold = true
    return TimeSpan(start: start, end: time)
  }
}
