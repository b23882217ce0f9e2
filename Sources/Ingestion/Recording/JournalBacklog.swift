import Captures
import Sensors

/// What the journal refused of one session, to be written as soon as it takes something again.
///
/// Measurements are counted, not kept: a disk may be full for days. What gives the others their meaning (boot, clock,
/// link, end) is few, and kept.
struct JournalBacklog: Hashable, Sendable {
  /// Measurements that are lost.
  private(set) var values = 0
  /// When the first and the last of them arrived.
  private(set) var firstValue: BootInstant?
  private(set) var lastValue: BootInstant?
  /// Everything else, in order.
  private(set) var events: [SensorEvent] = []
  /// Why the journal refused the last of it.
  private(set) var code = JournalError.Code.notWritten

  /// A link that comes and goes while the disk is full must not fill the memory.
  private static let capacity = 256

  var isEmpty: Bool { values == 0 && events.isEmpty }

  /// Adds an event that the journal refused with `code`.
  mutating func append(_ event: SensorEvent, refused code: JournalError.Code) {
    self.code = code
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

  /// What has to be written before anything that comes later, at `instant`: the events, and how many values were lost.
  func owed(before instant: BootInstant) -> [SensorEvent] {
    guard values > 0 else { return events }
    let lost = SensorEvent.Kind.lost(values: values, reason: code.rawValue)
    // Behind the others: instants must not decrease, and an end is the last of all.
    guard let last = events.last, case .ended = last.kind else {
      return events + [SensorEvent(lost, at: max(instant, events.last?.instant ?? instant))]
    }
    return events.dropLast() + [SensorEvent(lost, at: last.instant), last]
  }

  /// How much is lost where the journal takes events again at `instant`; nil: where it has not until now.
  func loss(upTo instant: BootInstant?) -> JournalLoss {
    guard let firstValue, let end = instant ?? lastValue else { return JournalLoss(values: 0, microseconds: 0) }
    return JournalLoss(values: values, microseconds: max(0, end.microseconds(since: firstValue)))
  }
}
