import HealthModel
import Sensors

/// Looks for low and high rates in an open session, to tell who wants to know at once. Provisional: what is stored comes from the
/// final pass. Constant memory.
///
/// Irregular rhythms are not looked for: which intervals are between normal beats is known only by what follows.
struct LiveHeartEvents {
  private var low: HeartRateEventDetector?
  private var high: HeartRateEventDetector?

  init(_ rules: HeartEventRules) {
    low = rules.low.map { HeartRateEventDetector(.low, threshold: $0) }
    high = rules.high.map { HeartRateEventDetector(.high, threshold: $0) }
  }

  /// A rate arrived from the skin.
  ///
  /// - Returns: The events that it completes, in the time of the boot clock.
  mutating func add(_ beatsPerMinute: UInt16, at instant: BootInstant) -> [HeartEvent] {
    let time = Timestamp(microseconds: instant.microseconds)
    // No array without an event: this is done for each notification.
    var events: [HeartEvent] = []
    if let event = low?.add(Double(beatsPerMinute), at: time) { events.append(event) }
    if let event = high?.add(Double(beatsPerMinute), at: time) { events.append(event) }
    return events
  }

  /// What was measured so far, and what comes, are not of one stretch.
  mutating func interrupt() {
    low?.interrupt()
    high?.interrupt()
  }
}
