import Sensors

/// What could not be written of one session while its journal did not work, to be told as soon as it does.
///
/// Measurements are counted, not kept: a disk may be full for days. What gives the others their meaning (boot, clock,
/// link, end) is few, and kept.
struct JournalBacklog: Sendable {
  /// Measurements that are lost.
  private(set) var values = 0
  /// When the first and the last of them arrived.
  private(set) var firstValue: BootInstant?
  private(set) var lastValue: BootInstant?
  /// Everything else, in order.
  private(set) var events: [SensorEvent] = []

  /// A link that flaps while the disk is full must not fill the memory.
  private static let capacity = 256

  var isEmpty: Bool { values == 0 && events.isEmpty }

  /// Notes an event that could not be written.
  mutating func take(_ event: SensorEvent) {
    if case .measurement = event.kind {
      values += 1
      firstValue = firstValue ?? event.instant
      lastValue = event.instant
      return
    }
    events.append(event)
    guard events.count > Self.capacity else { return }
    // The newest of them say what holds now.
    let superfluous =
      events.firstIndex { event in
        switch event.kind {
        case .connected, .disconnected, .clock, .battery, .stalled, .marker: true
        default: false
        }
      }
    events.remove(at: superfluous ?? 0)
  }

  /// What the journal has to be told before anything that comes later; `reason` is why it did not work.
  func owed(reason: String, before instant: BootInstant) -> [SensorEvent] {
    guard values > 0 else { return events }
    // Behind the others: instants must not decrease, and an end is the last of all.
    let lost = SensorEvent(.lost(values: values, reason: reason), at: max(instant, events.last?.instant ?? instant))
    guard let last = events.last, case .ended = last.kind else { return events + [lost] }
    return events.dropLast() + [SensorEvent(.lost(values: values, reason: reason), at: last.instant), last]
  }

  /// For how long values were lost, up to `instant`, in microseconds.
  func microseconds(upTo instant: BootInstant?) -> Int64 {
    guard let firstValue, let end = instant ?? lastValue else { return 0 }
    return max(0, end.microseconds(since: firstValue))
  }
}
