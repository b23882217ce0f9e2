package import FoundationEssentials
package import HealthModel
package import Sensors

// Sessions that clients ask for: who may, whose they are, and when they end without being asked to.

extension ClientRegistry {
  /// A client wants to begin a session; until ``began(_:of:)`` or ``beginFailed(_:)`` it counts as one that it has.
  ///
  /// - Parameters:
  ///   - name: Who.
  ///   - sensor: The address that it names; nil where it means the one that is measuring.
  /// - Returns: The sensor that it names, and whose the session will be.
  /// - Throws: ``Refusal/notAuthorized``, also where it names a sensor and may not know which there are;
  ///   ``Refusal/invalidSensor``, ``Refusal/limitsExceeded(_:)``.
  package mutating func mayBeginSession(
    _ name: String, of sensor: String?
  ) throws(Refusal) -> (sensor: SensorAddress?, owner: ClientIdentity) {
    guard let client = clients[name], may(client, .share, Self.sessionType) else { throw .notAuthorized }
    var address: SensorAddress?
    if let sensor {
      guard maySeeSensors(name) else { throw .notAuthorized }
      guard let named = SensorAddress(sensor) else { throw .invalidSensor }
      address = named
    }
    let room = (limits.sessionsOfClient, limits.sessionsOfUser)
    guard hasRoom(client.identity, in: room, beside: sessions.values.map(\.owner), beginning: \.beginningSessions)
    else { throw .limitsExceeded(.sessions) }
    clients[name]?.beginningSessions += 1
    return (address, client.identity)
  }

  /// The session that a client wanted has begun.
  ///
  /// - Parameters:
  ///   - session: It, with the connection that it ends with.
  ///   - name: Who wanted it.
  /// - Returns: Its end where the client is gone, or may not have it any more.
  package mutating func began(_ session: ClientSession, of name: String) -> [Effect] {
    clients[name]?.beginningSessions -= 1
    var session = session
    session.needsGrant = clients[name].map { !$0.isOwner } ?? true
    // What was asked for of this sensor before is over, or else this one could not have begun.
    sessions = sessions.filter { $0.value.sensor != session.sensor }
    let isGone = session.connection != nil && clients[name] == nil
    let decision = decisions.decision(for: session.owner, .share, of: Self.sessionType)
    let isRevoked = session.needsGrant && decision != .allowed
    guard !isGone, !isRevoked else { return [.endSession(session.identifier, isClientGone: isGone)] }
    sessions[session.identifier] = session
    return []
  }

  /// The session that a client wanted could not begin.
  package mutating func beginFailed(_ name: String) {
    clients[name]?.beginningSessions -= 1
  }

  /// A session that an earlier run of the recorder left goes on.
  package mutating func adopt(_ session: ClientSession) {
    sessions[session.identifier] = session
  }

  /// The sessions that a connection sees, which are its client's own; to an owner all. In order of their identifiers.
  package func sessions(for name: String) -> [ClientSession] {
    sessions.values.filter { owns($0.owner, name) }.sorted { $0.identifier.uuidString < $1.identifier.uuidString }
  }

  /// A session that a connection sees; nil for others', which are to it as if they were not there.
  package func session(_ identifier: UUID, for name: String) -> ClientSession? {
    sessions[identifier].flatMap { owns($0.owner, name) ? $0 : nil }
  }

  /// The end of a session is asked for.
  package mutating func ending(session identifier: UUID) {
    sessions[identifier]?.isEnding = true
  }

  /// A session has ended, and what it holds is stored.
  package mutating func ended(session identifier: UUID) {
    sessions[identifier] = nil
  }

  /// Whether a client and its user may have one more of something, of which there are those of `owners`, and those that connections
  /// are beginning.
  func hasRoom(
    _ client: ClientIdentity, in room: (ofClient: Int, ofUser: Int), beside owners: [ClientIdentity],
    beginning: (ConnectedClient) -> Int
  ) -> Bool {
    func count(_ isCounted: (ClientIdentity) -> Bool) -> Int {
      owners.count(where: isCounted)
        + clients.values.reduce(0) { $0 + (isCounted($1.identity) ? beginning($1) : 0) }
    }
    return count { $0 == client } < room.ofClient && count { $0.uid == client.uid } < room.ofUser
  }

  /// Whether what belongs to `owner` is a connection's.
  func owns(_ owner: ClientIdentity, _ name: String) -> Bool {
    clients[name].map { $0.isOwner || $0.identity == owner } ?? false
  }

  /// A connection has gone: what was to end with it ends.
  mutating func endWhatEnds(with name: String) -> [Effect] {
    var effects: [Effect] = []
    for session in sessions.values.sorted(by: { $0.identifier.uuidString < $1.identifier.uuidString })
    where session.connection == name {
      sessions[session.identifier] = nil
      effects.append(.endSession(session.identifier, isClientGone: true))
    }
    for its in series.values.sorted(by: { $0.identifier.uuidString < $1.identifier.uuidString })
    where its.connection == name {
      series[its.identifier] = nil
      effects.append(.interruptSeries(its.identifier))
    }
    return effects
  }

  /// What grants do not allow any more ends at once.
  mutating func endUnpermitted() -> [Effect] {
    var effects: [Effect] = []
    for session in sessions.values.sorted(by: { $0.identifier.uuidString < $1.identifier.uuidString }) {
      switch decisions.decision(for: session.owner, .share, of: Self.sessionType) {
      // Of one that an earlier run left, this tells that a grant allows it.
      case .allowed: sessions[session.identifier]?.needsGrant = true
      case .denied, nil:
        guard session.needsGrant else { continue }
        sessions[session.identifier] = nil
        effects.append(.endSession(session.identifier, isClientGone: false))
      }
    }
    for its in series.values.sorted(by: { $0.identifier.uuidString < $1.identifier.uuidString }) {
      guard its.needsGrant, decisions.decision(for: its.owner, .share, of: its.type) != .allowed else { continue }
      series[its.identifier] = nil
      effects.append(.interruptSeries(its.identifier))
    }
    return effects
  }

  private static let sessionType = "heartRate"
}
