package import FoundationEssentials
package import HealthModel

extension ClientRegistry {
  /// What a connection may read now; nil for one that is not known.
  package func reading(of name: String) -> Reading? {
    guard let client = clients[name] else { return nil }
    return Reading(
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

  /// A file of a connection is to be copied. It counts until ``endAttaching(ofUser:)``, also where the connection has gone: its
  /// sender may keep it waiting, and could come back under another name.
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

  /// A connection wants to be told when samples of these types are saved or deleted; of none: no more.
  ///
  /// What it may not read is not refused: it is told of nothing, as if there was nothing.
  ///
  /// - Throws: ``Refusal/unknownType``, ``Refusal/limitsExceeded(_:)``.
  package mutating func observe(_ name: String, _ types: [String]) throws(Refusal) {
    guard types.count <= limits.types else { throw .limitsExceeded(.types) }
    guard types.allSatisfy(isKnown) else { throw .unknownType }
    clients[name]?.store.observed = types.isEmpty ? nil : Set(types)
    clients[name]?.store.changes = 0
    revision += 1
  }

  /// Who is told of changes, and of which types.
  package var observations: [String: Observation] {
    var observations: [String: Observation] = [:]
    for (name, client) in clients {
      guard let types = client.store.observed, let reading = reading(of: name) else { continue }
      observations[name] = Observation(reading: reading, types: types)
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

/// What one connection is told of changes.
package struct Observation: Hashable, Sendable {
  /// What it may read.
  package var reading: Reading
  /// The types that it asked for.
  package var types: Set<String>

  /// Whether it is told of a change.
  package func concerns(_ change: StoreChange) -> Bool {
    guard let type = change.type, types.contains(type.identifier) else { return false }
    return reading.scope.map { $0.includes(change) } ?? true
  }
}

/// What one connection has of the store at the moment: running queries, and changes that it is told of.
struct StoreUse {
  /// Queries whose answers are being sent.
  var queries: Set<UInt64> = []
  /// The types whose changes it is told of; nil for none.
  var observed: Set<String>?
  /// How often it was told since it began to observe.
  var changes: UInt64 = 0
}

/// What a connection may read of the store by the owner's decisions.
package struct Reading: Hashable, Sendable {
  /// Who reads.
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
