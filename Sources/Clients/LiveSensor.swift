import Sensors

/// A sensor as live subscribers see it: what it does, and whether its last value still says so.
struct LiveSensor {
  /// How long after the beat that was due a sensor is stale.
  static let patience: Int64 = 3_000_000

  /// As the recorder sees it; never stale.
  private(set) var recorded: LiveState
  private(set) var isStale = false
  /// When it becomes stale; nil where nothing is due.
  private(set) var staleAt: BootInstant?

  init(_ state: LiveState) {
    recorded = state
  }

  /// What subscribers are told.
  var state: LiveState { isStale ? .stale : recorded }

  /// The recorder sees it so from now on.
  mutating func change(to state: LiveState) {
    recorded = state
    isStale = false
    if state != .measuring { staleAt = nil }
  }

  /// A value arrived at `now`; the next beat is due one interval later.
  mutating func measured(beatsPerMinute: UInt16, rrTicks: [UInt16], at now: BootInstant) {
    isStale = false
    let interval: Int64 =
      if let last = rrTicks.last {
        Int64(last) * 1_000_000 / 1024
      } else if beatsPerMinute > 0 {
        60_000_000 / Int64(beatsPerMinute)
      } else {
        1_000_000
      }
    staleAt = now.advanced(byMicroseconds: interval + Self.patience)
  }

  /// Whether it has become stale by `now`.
  mutating func becomesStale(by now: BootInstant) -> Bool {
    guard let instant = staleAt, instant <= now else { return false }
    staleAt = nil
    guard recorded == .measuring else { return false }
    isStale = true
    return true
  }
}
