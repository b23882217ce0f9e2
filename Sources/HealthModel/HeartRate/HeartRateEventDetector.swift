/// Detects ten minutes in which the heart beat fast, or slowly: every rate strictly beyond the threshold, and never more than
/// 30 s between two of them.
///
/// A stretch leads to one event, from its first rate to the one with which it has lasted ten minutes. A single rate that is not
/// beyond the threshold ends the stretch. The detector knows rates only: what the person does, a workout for instance, has to be
/// left out by the caller (``interrupt()``). An event is no diagnosis.
///
/// The rules are those of HealthKit's `highHeartRateEvent` and `lowHeartRateEvent`. Constant memory, for stored rates and for
/// arriving ones.
public struct HeartRateEventDetector: Hashable, Sendable {
  /// The side of the threshold on which rates lead to an event.
  public enum Side: Hashable, Sendable, CaseIterable {
    case low, high

    /// The rule by which the detector decides.
    public var rule: HeartEvent.Rule {
      switch self {
      case .low: HeartEvent.Rule(name: "lowHeartRate", version: 1)
      case .high: HeartEvent.Rule(name: "highHeartRate", version: 1)
      }
    }

    /// The default threshold, in beats a minute.
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

  /// The side of the threshold on which rates lead to an event.
  public let side: Side
  /// The threshold, in beats a minute.
  public let threshold: Double
  private var stretch = HeartRateStretch()

  /// A detector for one side of a threshold.
  ///
  /// - Parameters:
  ///   - side: The side of the threshold on which rates lead to an event.
  ///   - threshold: The threshold in beats a minute; nil for the side's default.
  public init(_ side: Side, threshold: Double? = nil) {
    self.side = side
    self.threshold = threshold ?? side.standardThreshold
  }

  /// Adds a measured rate.
  ///
  /// - Parameters:
  ///   - beatsPerMinute: The rate.
  ///   - time: The time of the rate. A time before the latest one begins anew.
  /// - Returns: The event, where this rate completes one.
  public mutating func add(_ beatsPerMinute: Double, at time: Timestamp) -> HeartEvent? {
    let isBeyond = side == .high ? beatsPerMinute > threshold : beatsPerMinute < threshold
    guard isBeyond else {
      interrupt()
      return nil
    }
    return stretch.add(time).map { HeartEvent(side.kind, over: $0, threshold: threshold, rule: side.rule) }
  }

  /// Ends the present stretch: later rates belong to another one.
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
  /// Whether the stretch has led to an event.
  private var isTold = false

  /// The time that a stretch has to last, in microseconds: HealthKit's ten minutes.
  static let duration: Int64 = 600_000_000
  /// The longest time between two rates of one stretch, in microseconds; nothing is known of a longer one.
  static let greatestGap: Int64 = 30_000_000

  /// Adds the time of a rate beyond the threshold.
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
