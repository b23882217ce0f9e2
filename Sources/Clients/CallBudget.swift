import HealthModel
import Sensors

/// How often each client and each user may call, over all their connections. It outlives these: who connects anew has used up
/// as much as before.
struct CallBudget {
  private let limits: ClientLimits
  private var clients: [ClientIdentity: RateLimit] = [:]
  private var users: [UInt32: RateLimit] = [:]

  init(_ limits: ClientLimits) {
    self.limits = limits
  }

  /// Uses one call; false where none is left. An owner's own are not counted with those of its user's applications, so that it
  /// can revoke what these may do however often they call.
  mutating func take(for client: ConnectedClient, at now: BootInstant) -> Bool {
    if clients[client.identity] == nil { clients = clients.filter { !$0.value.isFull(at: now) } }
    let perSecond = limits.callsOfClientPerSecond
    guard clients[client.identity, default: RateLimit(perSecond: perSecond)].take(at: now) else { return false }
    guard !client.isOwner else { return true }
    if users[client.uid] == nil { users = users.filter { !$0.value.isFull(at: now) } }
    return users[client.uid, default: RateLimit(perSecond: limits.callsOfUserPerSecond)].take(at: now)
  }
}
