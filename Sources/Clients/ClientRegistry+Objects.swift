package import FoundationEssentials
package import HealthModel
package import Sensors

// Sessions, series and workouts of clients: who may begin them, whose they are, and when they end without being asked to.

extension ClientRegistry {
  /// A client wants to begin something; until ``began(_:of:)`` or ``beginFailed(_:_:)`` it counts as one that it has.
  ///
  /// - Parameters:
  ///   - kind: What.
  ///   - name: Who.
  ///   - sensor: The address that it names; nil where it names none.
  /// - Returns: The sensor that it names, and whose it will be.
  /// - Throws: ``Refusal/unknownType``; ``Refusal/notAuthorized``, also where it names a sensor and may not know which there
  ///   are; ``Refusal/invalidSensor``, ``Refusal/limitsExceeded(_:)``.
  package mutating func mayBegin(
    _ kind: ClientObject.Kind, _ name: String, of sensor: String? = nil
  ) throws(Refusal) -> (sensor: SensorAddress?, owner: ClientIdentity) {
    guard isKnown(kind.type) else { throw .unknownType }
    guard let client = clients[name], may(client, .share, kind.type) else { throw .notAuthorized }
    var address: SensorAddress?
    if let sensor {
      guard maySeeSensors(name) else { throw .notAuthorized }
      guard let named = SensorAddress(sensor) else { throw .invalidSensor }
      address = named
    }
    guard hasRoom(for: kind.limit, of: client.identity) else { throw .limitsExceeded(kind.limit) }
    clients[name]?.beginning[kind.limit, default: 0] += 1
    return (address, client.identity)
  }

  /// An owner wants to begin a session of each sensor that measures. The limits are not asked: there are as many as sensors.
  ///
  /// - Returns: Whose they will be.
  /// - Throws: ``Refusal/notAuthorized`` to everybody else.
  package func mayBeginAll(_ name: String) throws(Refusal) -> ClientIdentity {
    guard let client = clients[name], client.isOwner else { throw .notAuthorized }
    return client.identity
  }

  /// What a client wanted has begun.
  ///
  /// - Parameters:
  ///   - object: It, with the connection that it ends with.
  ///   - name: Who wanted it.
  /// - Returns: Its end where the client is gone, or may not have it any more.
  package mutating func began(_ object: ClientObject, of name: String) -> [Effect] {
    clients[name]?.beginning[object.kind.limit, default: 0] -= 1
    return insert(object, of: name)
  }

  /// The sessions that an owner wanted of each sensor have begun.
  ///
  /// - Returns: The ends of all where the owner is gone and they end with it.
  package mutating func beganAll(_ objects: [ClientObject], of name: String) -> [Effect] {
    objects.flatMap { insert($0, of: name) }
  }

  private mutating func insert(_ object: ClientObject, of name: String) -> [Effect] {
    var object = object
    object.needsGrant = clients[name].map { !$0.isOwner } ?? true
    // A session that was asked for of this sensor before is over, or else this could not have begun.
    if let sensor = object.sensor {
      objects = objects.filter { $0.value.kind != .session || $0.value.sensor != sensor }
    }
    let isGone = object.connection != nil && clients[name] == nil
    let isRevoked = object.needsGrant && !isAllowed(object)
    guard !isGone, !isRevoked else { return [.end(object.kind, object.identifier, isClientGone: isGone)] }
    objects[object.identifier] = object
    return []
  }

  /// What a client wanted could not begin.
  package mutating func beginFailed(_ kind: ClientObject.Kind, _ name: String) {
    clients[name]?.beginning[kind.limit, default: 0] -= 1
  }

  /// What an earlier run of the recorder left goes on.
  package mutating func adopt(_ object: ClientObject) {
    objects[object.identifier] = object
  }

  /// What a connection sees, which is its client's own; to an owner all. In order of the identifiers.
  package func objects(for name: String) -> [ClientObject] {
    ordered.filter { owns($0.owner, name) }
  }

  /// What a connection sees under an identifier; nil for others', which is to it as if it was not there.
  package func object(_ identifier: UUID, for name: String) -> ClientObject? {
    objects[identifier].flatMap { owns($0.owner, name) ? $0 : nil }
  }

  /// The end of something is asked for. A series takes no more values, and is there until it is stored.
  package mutating func ending(_ identifier: UUID) {
    objects[identifier]?.isEnding = true
  }

  /// The end of something was refused: it goes on.
  package mutating func goesOn(_ identifier: UUID) {
    objects[identifier]?.isEnding = false
  }

  /// Something is over: stored, discarded, or ended by itself.
  package mutating func ended(_ identifier: UUID) {
    objects[identifier] = nil
  }

  /// A connection has gone: what was to end with it ends.
  mutating func endWhatEnds(with name: String) -> [Effect] {
    ordered.filter { $0.connection == name }.map { end($0, isClientGone: true) }
  }

  /// What grants do not allow any more ends at once.
  mutating func endUnpermitted() -> [Effect] {
    var effects: [Effect] = []
    for object in ordered {
      if isAllowed(object) {
        // Of what an earlier run left, this tells that a grant allows it.
        objects[object.identifier]?.needsGrant = true
      } else if object.needsGrant {
        effects.append(end(object, isClientGone: false))
      }
    }
    return effects
  }

  private mutating func end(_ object: ClientObject, isClientGone: Bool) -> Effect {
    objects[object.identifier] = nil
    return .end(object.kind, object.identifier, isClientGone: isClientGone)
  }

  private var ordered: [ClientObject] {
    objects.values.sorted { $0.identifier.uuidString < $1.identifier.uuidString }
  }

  private func isAllowed(_ object: ClientObject) -> Bool {
    decisions.decision(for: object.owner, .share, of: object.kind.type) == .allowed
  }

  /// Whether what belongs to `owner` is a connection's.
  private func owns(_ owner: ClientIdentity, _ name: String) -> Bool {
    clients[name].map { $0.isOwner || $0.identity == owner } ?? false
  }

  /// Whether a client and its user may have one more, beside what there is and what connections are beginning.
  private func hasRoom(for limit: Refusal.Limit, of client: ClientIdentity) -> Bool {
    let owners = objects.values.filter { $0.kind.limit == limit }.map(\.owner)
    func count(_ isCounted: (ClientIdentity) -> Bool) -> Int {
      owners.count(where: isCounted)
        + clients.values.reduce(0) { $0 + (isCounted($1.identity) ? $1.beginning[limit] ?? 0 : 0) }
    }
    guard let room = limits.room(for: limit) else { return false }
    return count { $0 == client } < room.ofClient && count { $0.uid == client.uid } < room.ofUser
  }
}

extension ClientLimits {
  /// How many of something a client and a user may have at a time; nil for what is not begun and ended.
  fileprivate func room(for limit: Refusal.Limit) -> (ofClient: Int, ofUser: Int)? {
    switch limit {
    case .sessions: (sessionsOfClient, sessionsOfUser)
    case .series: (seriesOfClient, seriesOfUser)
    case .workouts: (workoutsOfClient, workoutsOfUser)
    default: nil
    }
  }
}
