/// Tells where the heart beat fast, or slowly, for ten minutes: every rate strictly beyond the threshold, and never more than 30 s
/// between two of them.
///
/// A stretch leads to one event, from its first rate to the one with which it has lasted ten minutes. A single rate that is not
/// beyond the threshold ends the stretch. The detector knows rates only: what the person does, a workout for instance, has to be
/// left out by the caller (``interrupt()``). An event is no diagnosis.
///
/// The rules are those of HealthKit's `highHeartRateEvent` and `lowHeartRateEvent`. Constant memory, for stored rates and for
/// arriving ones.
public struct HeartRateEventDetector: Hashable, Sendable {
  /// On which side of the threshold rates lead to an event.
  public enum Side: Hashable, Sendable, CaseIterable {
    case low, high

    /// The rule by which the detector decides.
    public var rule: HeartEvent.Rule {
      switch self {
      case .low: HeartEvent.Rule(name: "lowHeartRate", version: 1)
      case .high: HeartEvent.Rule(name: "highHeartRate", version: 1)
      }
    }

    /// The threshold where nobody chose another, in beats a minute.
    public var standardThreshold: Double {
      switch self {
      case .low: 40
      case .high: 120
      }
    }

    var kind: HeartEvent.Kind {
      switch self {
      case .low: .low
      case .high: .high
      }
    }
  }

  /// Which rates lead to an event.
  public let side: Side
  /// In beats a minute.
  public let threshold: Double
  private var stretch = HeartRateStretch()

  /// - Parameters:
  ///   - side: Which rates lead to an event.
  ///   - threshold: In beats a minute; nil for the side's standard.
  public init(_ side: Side, threshold: Double? = nil) {
    self.side = side
    self.threshold = threshold ?? side.standardThreshold
  }

  /// A rate was measured.
  ///
  /// - Parameters:
  ///   - beatsPerMinute: The rate.
  ///   - time: When. A time before the latest one begins anew.
  /// - Returns: The event, where this rate completes one.
  public mutating func add(_ beatsPerMinute: Double, at time: Timestamp) -> HeartEvent? {
    let isBeyond = side == .high ? beatsPerMinute > threshold : beatsPerMinute < threshold
    guard isBeyond else {
      interrupt()
      return nil
    }
    return stretch.add(time).map { HeartEvent(side.kind, over: $0, threshold: threshold, rule: side.rule) }
  }

  /// What was measured so far, and what comes, are not of one stretch.
  public mutating func interrupt() {
    stretch = HeartRateStretch()
  }
}

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
