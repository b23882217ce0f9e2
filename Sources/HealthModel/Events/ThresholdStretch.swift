/// Finds stretches of rates beyond a threshold that last for ten minutes: what the detectors of high and low rates share.
///
/// Constant memory. Times may be of any clock, as long as all are of the same.
struct ThresholdStretch: Hashable, Sendable {
  /// On which side of the threshold a rate has to be, strictly.
  enum Side { case above, below }

  let side: Side
  let threshold: Double
  /// The first rate of the stretch; nil where the last one was not beyond the threshold.
  private var start: Timestamp?
  /// The latest rate of the stretch.
  private var latest: Timestamp?
  /// Whether the stretch has been told of.
  private var isTold = false

  /// How long a stretch has to last, in microseconds: HealthKit's ten minutes.
  static let duration: Int64 = 600_000_000
  /// Rates that are further apart are of two stretches, in microseconds: nobody knows what was in between.
  static let greatestGap: Int64 = 30_000_000

  init(_ side: Side, _ threshold: Double) {
    self.side = side
    self.threshold = threshold
  }

  /// A rate arrived.
  ///
  /// - Returns: The time from the stretch's first rate to this one, where this is the first with which it has lasted long
  ///   enough. The rest of the stretch leads to nothing.
  mutating func add(_ rate: Double, at time: Timestamp) -> TimeSpan? {
    let isBeyond = side == .above ? rate > threshold : rate < threshold
    guard isBeyond else {
      interrupt()
      return nil
    }
    if let latest, time < latest || time.microseconds(since: latest) > Self.greatestGap { interrupt() }
    latest = time
    let start = start ?? time
    self.start = start
    guard !isTold, time.microseconds(since: start) >= Self.duration else { return nil }
    isTold = true
    return TimeSpan(start: start, end: time)
  }

  /// The stretch ends here, whatever comes.
  mutating func interrupt() {
    start = nil
    latest = nil
    isTold = false
  }
}
