import HealthModel

/// What waits in the bus for those who do not read, by client and by user: together they may have more than one connection,
/// but not as much as all of their connections.
struct Backlog {
  private let limits: ClientLimits
  /// Nil while so little waits that nobody can have too much.
  private var ofClients: [ClientIdentity: Int]?
  private var ofUsers: [UInt32: Int] = [:]

  init(_ clients: some Collection<ConnectedClient>, _ limits: ClientLimits) {
    self.limits = limits
    guard clients.reduce(0, { $0 + $1.reception.unread }) >= min(limits.unreadBytesOfClient, limits.unreadBytesOfUser)
    else { return }
    ofClients = [:]
    for client in clients { count(client.reception.unread, for: client) }
  }

  /// Whether a client may be sent more.
  func mayGrow(_ client: ConnectedClient) -> Bool {
    guard !client.reception.isPaused, client.reception.unread < limits.unreadBytes else { return false }
    return ofClients?[client.identity] ?? 0 < limits.unreadBytesOfClient
      && ofUsers[client.uid] ?? 0 < limits.unreadBytesOfUser
  }

  /// It is sent so many bytes.
  mutating func add(_ bytes: Int, for client: ConnectedClient) {
    if ofClients != nil { count(bytes, for: client) }
  }

  private mutating func count(_ bytes: Int, for client: ConnectedClient) {
    ofClients?[client.identity, default: 0] += bytes
    ofUsers[client.uid, default: 0] += bytes
  }
}
