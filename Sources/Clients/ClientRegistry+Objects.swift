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
  /// - Returns: Their future owner.
  /// - Throws: ``Refusal/notAuthorized`` to everybody else.
  package func mayBeginAll(_ name: String) throws(Refusal) -> ClientIdentity {
    guard let client = clients[name], client.isOwner else { throw .notAuthorized }
    return client.identity
  }

  /// Records that an object which a client wanted has begun.
  ///
  /// - Parameters:
  ///   - object: The object, with the connection that it ends with.
  ///   - name: The connection that wanted it.
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

  /// Records that an object which a client wanted could not begin.
  package mutating func beginFailed(_ kind: ClientObject.Kind, _ name: String) {
    clients[name]?.beginning[kind.limit, default: 0] -= 1
  }

  /// Adds an object that an earlier run of the recorder left and that goes on.
  package mutating func adopt(_ object: ClientObject) {
    objects[object.identifier] = object
  }

  /// Returns the objects that a connection sees: those of its own client; for an owner all. In order of the
  /// identifiers.
  package func objects(for name: String) -> [ClientObject] {
    ordered.filter { owns($0.owner, name) }
  }

  /// Returns the object that a connection sees under an identifier; nil also for an object of another client.
  package func object(_ identifier: UUID, for name: String) -> ClientObject? {
    objects[identifier].flatMap { owns($0.owner, name) ? $0 : nil }
  }

  /// The end of something is asked for. A series accepts no more values, and is there until it is stored.
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

  /// Ends at once all objects that grants do not allow any more.
  mutating func endUnpermitted() -> [Effect] {
    var effects: [Effect] = []
    for object in ordered {
      if isAllowed(object) {
        // For an object of an earlier run, this shows that a grant allows it.
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
  /// The number of objects that a client and a user may have at a time; nil for a limit of calls or bytes.
  fileprivate func room(for limit: Refusal.Limit) -> (ofClient: Int, ofUser: Int)? {
    switch limit {
    case .sessions: (sessionsOfClient, sessionsOfUser)
    case .series: (seriesOfClient, seriesOfUser)
    case .workouts: (workoutsOfClient, workoutsOfUser)
    default: nil
    }
  }
}

/// Something that a client has begun and not ended: it has an object of its own on the bus.
package struct ClientObject: Hashable, Sendable {
  /// The kind of object.
  package enum Kind: Hashable, Sendable {
    /// A session that a client requested.
    case session
    /// A series that it inserts, of the type with this identifier.
    case series(of: String)
    /// A live workout.
    case workout

    /// The identifier of the type that its client has to be allowed to save.
    package var type: String {
      switch self {
      case .session: "heartRate"
      case .series(of: let type): type
      case .workout: "workout"
      }
    }

    /// The limit that counts objects of this kind.
    var limit: Refusal.Limit {
      switch self {
      case .session: .sessions
      case .series: .series
      case .workout: .workouts
      }
    }
  }

  package let kind: Kind
  /// The identifier, the same to the object's end.
  package let identifier: UUID
  /// The owner: every connection of the same user and application.
  package let owner: ClientIdentity
  /// The sensor whose values belong to it; a series has none, and not every workout has one.
  package let sensor: SensorAddress?
  /// When it began, in microseconds since 1970 (UTC).
  package let start: Int64
  /// The connection with whose end it ends; nil where it outlives its program.
  package internal(set) var connection: String?
  /// Whether its end was asked for, and is not stored yet.
  package internal(set) var isEnding = false
  /// The types whose samples a workout collects as soon as its program has saved them.
  package internal(set) var collects: Set<String> = []
  /// The connections that have asked for the end of a workout: they receive the report that it is stored, whichever
  /// client they belong to.
  var enders: Set<String> = []
  /// Whether a grant allows it. An owner's object needs no grant.
  var needsGrant = false

  /// One that began, or that an earlier run of the recorder left.
  package init(
    _ kind: Kind, _ identifier: UUID, of owner: ClientIdentity, sensor: SensorAddress? = nil, start: Int64,
    connection: String? = nil
  ) {
    self.kind = kind
    self.identifier = identifier
    self.owner = owner
    self.sensor = sensor
    self.start = start
    self.connection = connection
  }
}

extension ClientRegistry {
  /// Samples of these types that its program saves belong to a workout from now on, or no more.
  ///
  /// - Throws: ``Refusal/limitsExceeded(_:)``; ``Refusal/unknownType``; ``Refusal/invalidArgument`` for heart rates, which are
  ///   the sensor's and always collected, for workouts, which are collected by none, and for routes, which name a workout that is over.
  package mutating func collect(on: [String], off: [String], in workout: UUID) throws(Refusal) {
    guard on.count + off.count <= limits.types else { throw .limitsExceeded(.types) }
    guard (on + off).allSatisfy(isKnown) else { throw .unknownType }
    let others = [SampleType.workout.identifier, SampleType.workoutRoute.identifier]
    guard !off.contains(QuantityType.heartRate.identifier), !on.contains(where: others.contains) else {
      throw .invalidArgument
    }
    objects[workout]?.collects.subtract(off)
    objects[workout]?.collects.formUnion(on)
  }

  /// The workouts of a client that collect samples of a type as soon as they are saved.
  package func workouts(of client: ClientIdentity, collecting type: String) -> [UUID] {
    objects.values.filter { $0.owner == client && $0.collects.contains(type) }.map(\.identifier)
  }

  /// Whether a connection may read samples of a type.
  package func mayRead(_ name: String, _ type: String) -> Bool {
    clients[name].map { may($0, .read, type) } ?? false
  }

  /// A connection asks for the end of a workout.
  package mutating func asksForEnd(_ name: String, of workout: UUID) {
    objects[workout]?.enders.insert(name)
  }

  /// Removes the object of a stored workout, and reports that to every connection of its program, and to those that
  /// have asked for its end.
  package mutating func stored(_ workout: UUID, of owner: ClientIdentity) -> [Effect] {
    over(workout, of: owner).map { .stored(to: $0, workout) }
  }

  /// Removes the object of a discarded workout, and reports that to the same connections.
  package mutating func discarded(_ workout: UUID, of owner: ClientIdentity) -> [Effect] {
    over(workout, of: owner).map { .discarded(to: $0, workout) }
  }

  /// Forgets a workout; returns the connections to which its end is reported.
  private mutating func over(_ workout: UUID, of owner: ClientIdentity) -> [String] {
    let enders = objects.removeValue(forKey: workout)?.enders ?? []
    return names.filter { clients[$0]?.identity == owner || enders.contains($0) }
  }
}
