package import FoundationEssentials
package import HealthModel

extension ClientRegistry {
  /// Returns the permission of a connection to read now; nil for an unknown connection.
  package func reading(of name: String) -> ClientReading? {
    guard let client = clients[name] else { return nil }
    return ClientReading(
      client: client.identity, types: client.isOwner ? nil : decisions.readableTypes(of: client.identity),
      objects: client.isOwner ? [] : decisions.readableObjects(of: client.identity))
  }

  /// Whether a connection may save samples of all these types.
  ///
  /// - Returns: As whom it saves them.
  /// - Throws: ``Refusal/notAuthorized``.
  package func requireSharing(_ name: String, of types: [String]) throws(Refusal) -> ClientIdentity {
    guard let client = clients[name], types.allSatisfy({ may(client, .share, $0) }) else { throw .notAuthorized }
    return client.identity
  }

  /// The answer of a query is to be sent to a connection.
  ///
  /// - Returns: The query's number, for ``endQuery(_:of:)``.
  /// - Throws: ``Refusal/limitsExceeded(_:)``.
  package mutating func beginQuery(_ name: String) throws(Refusal) -> UInt64 {
    guard let client = clients[name] else { throw .notAuthorized }
    let all = clients.values.reduce(0) { $0 + $1.store.queries.count }
    let ofUser = count(ofUser: client.uid) { $0.store.queries.count }
    let ofClient = count(of: client.identity) { $0.store.queries.count }
    guard all < limits.queries, ofUser < limits.queriesOfUser, ofClient < limits.queriesOfClient else {
      throw .limitsExceeded(.queries)
    }
    lastQuery += 1
    clients[name]?.store.queries.insert(lastQuery)
    return lastQuery
  }

  /// The answer has been sent, or was cut off.
  package mutating func endQuery(_ number: UInt64, of name: String) {
    clients[name]?.store.queries.remove(number)
  }

  /// Counts a file of a connection that is to be copied. The file counts until ``endAttaching(ofUser:)``, also where
  /// the connection has gone: its sender may keep it waiting, and could come back under another name.
  ///
  /// - Returns: The user that it counts for.
  /// - Throws: ``Refusal/limitsExceeded(_:)``.
  package mutating func beginAttaching(_ name: String) throws(Refusal) -> UInt32 {
    guard let client = clients[name] else { throw .notAuthorized }
    guard attaching.values.reduce(0, +) < limits.attachments,
      attaching[client.uid, default: 0] < limits.attachmentsOfUser
    else { throw .limitsExceeded(.attachments) }
    attaching[client.uid, default: 0] += 1
    return client.uid
  }

  /// A file has been copied, or will not be.
  package mutating func endAttaching(ofUser uid: UInt32) {
    guard let count = attaching[uid] else { return }
    attaching[uid] = count > 1 ? count - 1 : nil
  }

  /// Begins to report to a connection when samples of these types are saved or deleted; with no types, ends that.
  ///
  /// A type that it may not read is not refused: nothing is reported, as if there were no samples.
  ///
  /// - Throws: ``Refusal/unknownType``, ``Refusal/limitsExceeded(_:)``.
  package mutating func observe(_ name: String, _ types: [String]) throws(Refusal) {
    guard types.count <= limits.types else { throw .limitsExceeded(.types) }
    guard types.allSatisfy(isKnown) else { throw .unknownType }
    clients[name]?.store.observed = types.isEmpty ? nil : Set(types)
    clients[name]?.store.changes = 0
    revision += 1
  }

  /// The connections to which changes are reported, and of which types.
  package var observations: [String: ClientObservation] {
    var observations: [String: ClientObservation] = [:]
    for (name, client) in clients {
      guard let types = client.store.observed, let reading = reading(of: name) else { continue }
      observations[name] = ClientObservation(reading: reading, types: types)
    }
    return observations
  }

  /// Something changed that a connection observes.
  package mutating func storeChanged(for name: String) -> [Effect] {
    guard let client = clients[name], client.store.observed != nil else { return [] }
    clients[name]?.store.changes += 1
    return [.changed(to: name, count: client.store.changes + 1)]
  }
}

/// The changes that are reported to one connection.
package struct ClientObservation: Hashable, Sendable {
  /// The permission to read.
  package var reading: ClientReading
  /// The types that it asked for.
  package var types: Set<String>

  /// Whether a change is reported to it.
  package func concerns(_ change: StoreChange) -> Bool {
    guard let type = change.type, types.contains(type.identifier) else { return false }
    return reading.scope.map { $0.includes(change) } ?? true
  }
}

/// The present use of the store by one connection: running queries, and changes that are reported to it.
struct StoreUse {
  /// Queries whose answers are being sent.
  var queries: Set<UInt64> = []
  /// The types whose changes are reported to it; nil if it observes no types.
  var observed: Set<String>?
  /// The number of reports since it began to observe.
  var changes: UInt64 = 0
}

/// The samples of the store that a connection may read by the owner's decisions.
package struct ClientReading: Hashable, Sendable {
  /// The client that reads.
  package var client: ClientIdentity
  /// The types that it may read; nil for an owner, who may read everything.
  package var types: Set<String>?

  /// The single samples that it may read besides.
  package var objects: Set<UUID>

  package init(client: ClientIdentity, types: Set<String>?, objects: Set<UUID> = []) {
    self.client = client
    self.types = types
    self.objects = objects
  }

  /// The scope of its answers; nil for everything.
  package var scope: ReadScope? {
    types.map { ReadScope(types: $0, source: client.source, objects: objects) }
  }
}
