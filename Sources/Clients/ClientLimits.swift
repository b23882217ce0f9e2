import Sensors

/// How much clients may have, so that none takes the recorder from the others.
package struct ClientLimits: Hashable, Sendable {
  /// Connections in all, and of one user.
  package var clients = 256
  package var connectionsOfUser = 64
  /// Calls of one connection in a second, and as many more at once.
  package var callsPerSecond = 100
  /// Live subscriptions of one user; each connection has one.
  package var subscriptionsOfUser = 32
  /// Signals to one subscriber in a second, and as many more at once: 48 straps with two values a second are 96.
  package var signalsPerSecond = 200
  /// What may wait for a bus that does not read; values beyond that are left out.
  package var unsentBytes = 1 << 18
  /// Requests of one connection that the owner has not decided, and of one user.
  package var requests = 4
  package var requestsOfUser = 16
  /// Types, and sensors, in one call.
  package var types = 64
  package var sensors = 64

  package init() {}
}

/// What may be used up in a second, and the same amount at once after a pause.
struct RateLimit {
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
      // After two seconds everything is there again.
      let passed = min(max(now.microseconds(since: last), 0), 2_000_000)
      left = min(left + passed * perSecond, 2 * perSecond * 1_000_000)
    }
    last = now
    guard left >= 1_000_000 else { return false }
    left -= 1_000_000
    return true
  }
}
