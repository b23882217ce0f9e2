/// Tells where the heart beat slowly for ten minutes: every rate strictly below the threshold, and never more than 30 s between
/// two of them.
///
/// A stretch leads to one event, from its first rate to the one with which it has lasted ten minutes. A single rate that is not
/// below the threshold ends the stretch. The detector knows rates only: what the person does, a workout for instance, has to be
/// left out by the caller (``interrupt()``). An event is no diagnosis.
///
/// The rule is that of HealthKit's `lowHeartRateEvent`. Constant memory, for stored rates and for arriving ones.
public struct LowHeartRateDetector: Hashable, Sendable {
  /// The rule by which it decides.
  public static let rule = HeartEvent.Rule(name: "lowHeartRate", version: 1)
  /// The threshold where nobody chose another, in beats a minute.
  public static let standardThreshold = 40.0

  private var stretch: ThresholdStretch

  /// - Parameter threshold: In beats a minute.
  public init(threshold: Double = standardThreshold) {
    stretch = ThresholdStretch(.below, threshold)
  }

  /// The threshold, in beats a minute.
  public var threshold: Double { stretch.threshold }

  /// A rate was measured.
  ///
  /// - Parameters:
  ///   - beatsPerMinute: The rate.
  ///   - time: When. A time before the latest one begins anew.
  /// - Returns: The event, where this rate completes one.
  public mutating func add(_ beatsPerMinute: Double, at time: Timestamp) -> HeartEvent? {
    stretch.add(beatsPerMinute, at: time).map {
      HeartEvent(.low, over: $0, threshold: threshold, rule: Self.rule)
    }
  }

  /// What was measured so far, and what comes, are not of one stretch.
  public mutating func interrupt() {
    stretch.interrupt()
  }
}
