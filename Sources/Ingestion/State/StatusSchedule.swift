import Sensors

/// Decides when a status is published: a change of state at once, new values at most once a second. Pure.
struct StatusSchedule {
  /// What is to be done with a status.
  enum Decision: Hashable {
    /// It is the one that was published last.
    case unchanged
    case publish
    /// Values alone have changed: publish what holds at ``StatusSchedule/nextAt``.
    case wait
  }

  private var published: RecorderStatus?
  private var publishedAt = BootInstant(microseconds: 0)

  /// Microseconds.
  static let interval: Int64 = 1_000_000

  /// When new values are published at the earliest.
  var nextAt: BootInstant { publishedAt.advanced(byMicroseconds: Self.interval) }

  /// Whether new values are published too.
  func isDue(at now: BootInstant) -> Bool {
    now.microseconds(since: publishedAt) >= Self.interval
  }

  mutating func decide(_ status: RecorderStatus, at now: BootInstant) -> Decision {
    guard status != published else { return .unchanged }
    guard isDue(at: now) || published.map({ !status.hasSameStates(as: $0) }) ?? true else { return .wait }
    published = status
    publishedAt = now
    return .publish
  }

  /// Somebody has joined who knows no status: the next one is published whatever it is.
  mutating func forget() {
    published = nil
  }
}

extension RecorderStatus {
  /// Whether two statuses differ in values only.
  fileprivate func hasSameStates(as other: RecorderStatus) -> Bool {
    state == other.state && problem == other.problem && sensors.count == other.sensors.count
      && zip(sensors, other.sensors).allSatisfy { first, second in
        first.address == second.address && first.state == second.state && first.session == second.session
          && first.problem == second.problem && first.namesake == second.namesake
      }
  }
}
