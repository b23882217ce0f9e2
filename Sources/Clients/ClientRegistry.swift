package import HealthModel
package import Sensors

/// Every client that is connected, and what it may have: the judge of the daemon's door. Pure.
///
/// Each thing that can happen is a method; it changes the value and returns what is to be done. A connection is named by its
/// unique name on the bus. Time is a parameter, in the boot clock; only ``deadline`` needs a timer.
package struct ClientRegistry {
  let owners: Owners
  let limits: ClientLimits
  /// Which identifiers are types; `heartbeatSeries` always is one.
  let isType: @Sendable (String) -> Bool
  var clients: [String: ConnectedClient] = [:]
  /// In the order in which they connected, so that what is done is the same each time.
  package private(set) var names: [String] = []
  var decisions: Decisions
  var sensors: [SensorAddress: LiveSensor] = [:]

  /// - Parameters:
  ///   - owners: Whose recorder it is.
  ///   - inAdvance: What the configuration decides about clients.
  ///   - limits: What clients may have.
  ///   - isType: Whether an identifier is a type's.
  package init(
    owners: Owners, inAdvance: [Grant] = [], limits: ClientLimits = ClientLimits(),
    isType: @escaping @Sendable (String) -> Bool
  ) {
    self.owners = owners
    self.limits = limits
    self.isType = isType
    decisions = Decisions(inAdvance: inAdvance)
  }

  package var isEmpty: Bool { clients.isEmpty }

  /// A connection has called for the first time.
  ///
  /// - Parameters:
  ///   - name: Its unique name.
  ///   - uid: Its user, as the bus vouches for it.
  ///   - groups: The groups that it had when it connected.
  /// - Throws: ``Refusal/limitsExceeded(_:)``.
  package mutating func connected(_ name: String, uid: UInt32, groups: [UInt32]) throws(Refusal) {
    guard clients[name] == nil else { return }
    guard clients.count < limits.clients else { throw .limitsExceeded(.clients) }
    guard clients.values.count(where: { $0.uid == uid }) < limits.connectionsOfUser else {
      throw .limitsExceeded(.connections)
    }
    clients[name] = ConnectedClient(
      uid: uid, isOwnersUser: owners.include(uid: uid, groups: groups), limits: limits)
    names.append(name)
  }

  /// A connection has gone: what it had and waited for goes with it.
  package mutating func gone(_ name: String) {
    guard clients.removeValue(forKey: name) != nil else { return }
    names.removeAll { $0 == name }
  }

  /// Whether a connection is known here.
  package func knows(_ name: String) -> Bool { clients[name] != nil }

  /// A connection calls at `now`; every call begins with this.
  ///
  /// - Throws: ``Refusal/limitsExceeded(_:)`` where it calls too often.
  /// - Returns: What the call itself leads to: a subscriber that calls reads again.
  package mutating func called(_ name: String, at now: BootInstant) throws(Refusal) -> [Effect] {
    guard clients[name]?.calls.take(at: now) != false else { throw .limitsExceeded(.calls) }
    return heard(from: name, at: now)
  }

  /// When ``timeReached(_:)`` has to be called; nil while nothing happens by itself.
  package var deadline: BootInstant? {
    var first: BootInstant?
    func consider(_ instant: BootInstant?) {
      if let instant, first.map({ instant < $0 }) ?? true { first = instant }
    }
    for client in clients.values { for request in client.requests { consider(request.call?.until) } }
    for sensor in sensors.values { consider(sensor.staleAt) }
    return first
  }

  /// The time is `now`: requests that waited too long are answered, sensors without values are stale.
  package mutating func timeReached(_ now: BootInstant) -> [Effect] {
    giveUpWaiting(at: now) + findStale(at: now)
  }
}
