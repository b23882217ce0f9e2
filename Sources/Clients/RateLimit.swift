import Sensors

/// What may be used up in a second, and the same amount at once after a pause.
struct RateLimit {
  /// After so many microseconds without a use everything is there again.
  private static let recovery: Int64 = 2_000_000

  private let perSecond: Int64
  /// In millionths of one use.
  private var left: Int64
  private var last: BootInstant?

  init(perSecond: Int) {
    self.perSecond = Int64(perSecond)
    left = 2 * Int64(perSecond) * 1_000_000
  }

  /// Uses one; false where none is left.
  mutating func take(at now: BootInstant) -> Bool {
    if let last {
      let passed = min(max(now.microseconds(since: last), 0), Self.recovery)
      left = min(left + passed * perSecond, 2 * perSecond * 1_000_000)
    }
    last = now
    guard left >= 1_000_000 else { return false }
    left -= 1_000_000
    return true
  }

  /// Whether it is as if it had never been used.
  func isFull(at now: BootInstant) -> Bool {
    last.map { now.microseconds(since: $0) >= Self.recovery } ?? true
  }
}
