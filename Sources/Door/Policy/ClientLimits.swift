import HealthModel
import Timeline

/// Limits for clients, so that no client uses up the recorder for the others.
///
/// A connection is one of the bus, a client is an application of a user over all its connections, a user is all its clients.
package struct ClientLimits: Hashable, Sendable {
  /// Connections in all, and of one user.
  package var clients = 256
  package var connectionsOfUser = 64
  /// Calls in a second, and as many more at once: of one connection, of one client, of one user.
  package var callsPerSecond = 100
  package var callsOfClientPerSecond = 200
  package var callsOfUserPerSecond = 400
  /// Live subscriptions of one client and of one user; each connection has one.
  package var subscriptionsOfClient = 16
  package var subscriptionsOfUser = 32
  /// Values to one connection in a second, and as many more at once: 48 straps with two values a second are 96.
  package var signalsPerSecond = 200
  /// Bytes that may wait for a bus that does not read; values beyond that are left out.
  package var unsentBytes = 1 << 18
  /// Bytes that may wait in the bus for one connection, one client, one user that does not read; beyond that they are
  /// sent nothing.
  package var unreadBytes = 1 << 18
  package var unreadBytesOfClient = 1 << 20
  package var unreadBytesOfUser = 1 << 22
  /// The time without a call after which a connection is asked whether it reads, and the time without an answer after
  /// which nothing more is sent to it, in microseconds. A connection is asked at the latest when so many bytes wait for
  /// it.
  package var silence: Int64 = 10_000_000
  package var patience: Int64 = 30_000_000
  package var unquestionedBytes = 1 << 15
  /// Requests that the owner has not decided, of one client and of one user.
  package var requestsOfClient = 4
  package var requestsOfUser = 16
  /// Sessions of a client, which is a user's application, and of a user.
  package var sessionsOfClient = 4
  package var sessionsOfUser = 8
  /// Series that are being inserted, likewise.
  package var seriesOfClient = 16
  package var seriesOfUser = 32
  /// Live workouts, likewise, until they are stored.
  package var workoutsOfClient = 4
  package var workoutsOfUser = 8
  /// Queries whose answers are being sent: of one client, of one user, of all.
  package var queriesOfClient = 4
  package var queriesOfUser = 8
  package var queries = 32
  /// Files that are being attached: of one user, of all. Each has a thread that its sender may keep waiting.
  package var attachmentsOfUser = 2
  package var attachments = 8
  /// Samples, and values in them, in one call.
  package var samples = 1_000
  /// Buckets of statistics in one answer.
  package var buckets = 50_000
  /// Types in one call: more than the store knows, so that a program may ask for all of them at once.
  package var types = 256
  /// Single samples that an owner is shown, or decides about, at a time.
  package var objects = 1_000
  /// Sensors in one call.
  package var sensors = 64
  /// Calls of one connection that wait until it is known who calls, and their bytes.
  package var waitingCalls = 32
  package var waitingBytes = 1 << 17

  package init() {}
}

/// The number of calls that each client and each user may make, over all their connections. The count outlives a
/// connection: a new connection of the same client has used up as much as the one before.
struct CallBudget {
  private let limits: ClientLimits
  private var clients: [ClientIdentity: RateLimit] = [:]
  private var users: [UInt32: RateLimit] = [:]

  init(_ limits: ClientLimits) {
    self.limits = limits
  }

  /// Uses one call; false if no call is left. An owner's own are not counted with those of its user's applications, so
  /// that it can revoke what these may do however often they call.
  mutating func take(for client: ConnectedClient, at now: BootInstant) -> Bool {
    if clients[client.identity] == nil { clients = clients.filter { !$0.value.isFull(at: now) } }
    let perSecond = limits.callsOfClientPerSecond
    guard clients[client.identity, default: RateLimit(perSecond: perSecond)].take(at: now) else { return false }
    guard !client.isOwner else { return true }
    if users[client.uid] == nil { users = users.filter { !$0.value.isFull(at: now) } }
    return users[client.uid, default: RateLimit(perSecond: limits.callsOfUserPerSecond)].take(at: now)
  }
}

/// An amount that may be used up in each second, and twice that at once after a pause.
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

  /// Uses one; false if nothing is left.
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
