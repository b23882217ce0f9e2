import FoundationEssentials
package import HealthModel
package import Sensors

extension ClientRegistry {
  /// Identifies a connection as an application, once. Earlier subscriptions and requests of it are that application's
  /// from now on.
  ///
  /// - Returns: The effects: the states that it may know now; requests that are decided for this application are
  ///   answered, others are reported to the owner.
  /// - Throws: ``Refusal/alreadyIdentified``, ``Refusal/invalidApplication``.
  package mutating func identify(
    _ name: String, as application: String, at now: BootInstant
  ) throws(Refusal) -> [Effect] {
    try clients[name]?.identify(as: application)
    let effects = updatePermissions(at: now) + answerDecided(name)
    guard let client = clients[name] else { return effects }
    return effects + client.requests.flatMap { requested($0, of: client.identity) }
  }

  /// A client asks the owner for permissions.
  ///
  /// - Parameters:
  ///   - name: The connection that asks.
  ///   - share: Types that it wants to save.
  ///   - read: Types that it wants to read.
  ///   - call: The number of the call in ``Effect/answer(_:isDecided:)``.
  ///   - now: When.
  /// - Returns: The answer where everything is decided; else it follows.
  /// - Throws: ``Refusal/unknownType``, ``Refusal/importOnly``, ``Refusal/onlyByObject``, ``Refusal/limitsExceeded(_:)``.
  package mutating func request(
    _ name: String, share: [String], read: [String], call: UInt64, at now: BootInstant
  ) throws(Refusal) -> [Effect] {
    guard share.count <= limits.types, read.count <= limits.types else { throw .limitsExceeded(.types) }
    guard (share + read).allSatisfy(isKnown) else { throw .unknownType }
    guard share.allSatisfy(Grant.canBeShared) else { throw .importOnly }
    guard !read.contains(where: Grant.isByObject) else { throw .onlyByObject }
    guard var client = clients[name] else { return [] }
    let request = WaitingRequest(
      share: Set(share.map(Grant.governing)), read: Set(read.map(Grant.governing)),
      call: WaitingRequest.Call(number: call, until: now.advanced(byMicroseconds: WaitingRequest.patience)))
    if client.isOwner || isDecided(request, for: client.identity) { return [.answer(call, isDecided: true)] }
    // The same question again, after it was answered that nothing is decided, takes the place of the first.
    client.requests.removeAll {
      $0.call == nil && $0.objects == nil && $0.share == request.share && $0.read == request.read
    }
    clients[name] = client
    return try add(request, of: name)
  }

  private mutating func add(_ request: WaitingRequest, of name: String) throws(Refusal) -> [Effect] {
    guard let client = clients[name] else { return [] }
    guard count(of: client.identity, \.requests.count) < limits.requestsOfClient,
      count(ofUser: client.uid, \.requests.count) < limits.requestsOfUser
    else { throw .limitsExceeded(.requests) }
    clients[name]?.requests.append(request)
    return requested(request, of: client.identity)
  }

  /// Looks whether samples of a type can be asked for one by one.
  ///
  /// - Throws: ``Refusal/unknownType``, ``Refusal/notByObject``.
  package func requireObjectType(_ type: String) throws(Refusal) {
    guard isKnown(type) else { throw .unknownType }
    guard Grant.isByObject(type) else { throw .notByObject }
  }

  /// A client asks the owner for single samples. The owner is asked each time, whatever was decided before.
  ///
  /// - Parameters:
  ///   - name: The connection that asks.
  ///   - objects: The type, and what matches.
  ///   - call: The number of the call in ``Effect/answer(_:isDecided:)``.
  ///   - now: When.
  /// - Returns: The answer to an owner; to others it follows.
  /// - Throws: ``Refusal/limitsExceeded(_:)``.
  package mutating func requestObjects(
    _ name: String, _ objects: RequestedObjects, call: UInt64, at now: BootInstant
  ) throws(Refusal) -> [Effect] {
    guard let client = clients[name] else { return [] }
    guard !client.isOwner else { return [.answer(call, isDecided: true)] }
    clients[name]?.requests.removeAll { $0.call == nil && $0.objects?.type == objects.type }
    return try add(
      WaitingRequest(
        share: [], read: [], objects: objects,
        call: WaitingRequest.Call(number: call, until: now.advanced(byMicroseconds: WaitingRequest.patience))),
      of: name)
  }

  /// Handles an owner's choice among samples of a type: connections that wait for it get an answer without the choice.
  package mutating func objectsDecided(of type: String, for identity: ClientIdentity) -> [Effect] {
    var effects: [Effect] = []
    for name in names where clients[name]?.identity == identity {
      for request in clients[name]?.requests ?? [] where request.objects?.type == type {
        effects.append(
          request.call.map { .answer($0.number, isDecided: true) } ?? .decided(to: name, share: [], objects: type))
      }
      clients[name]?.requests.removeAll { $0.objects?.type == type }
    }
    return effects
  }

  /// Returns whether a client may save samples of a type: all that it may know. Nothing is reported about reading.
  ///
  /// - Returns: Nil where nothing is decided.
  /// - Throws: ``Refusal/unknownType``.
  package func shareStatus(_ name: String, of type: String) throws(Refusal) -> Grant.Decision? {
    guard isKnown(type) else { throw .unknownType }
    guard let client = clients[name] else { return nil }
    return client.isOwner ? .allowed : decisions.decision(for: client.identity, .share, of: type)
  }

  /// The decisions of the store are these from now on: requests are answered, live values begin or end.
  package mutating func replaceDecisions(with grants: [Grant], objects: [ObjectGrant] = [], at now: BootInstant)
    -> [Effect]
  {
    decisions.replaceStored(with: grants, objects: objects)
    var effects = updatePermissions(at: now) + endUnpermitted()
    for name in names { effects += answerDecided(name) }
    return effects
  }

  /// Answers the requests of a client that are decided.
  private mutating func answerDecided(_ name: String) -> [Effect] {
    guard let client = clients[name] else { return [] }
    let decided = client.requests.filter { isDecided($0, for: client.identity) }
    guard !decided.isEmpty else { return [] }
    let rest = client.requests.filter { !isDecided($0, for: client.identity) }
    clients[name]?.requests = rest
    return decided.map { request in
      request.call.map { .answer($0.number, isDecided: true) } ?? .decided(to: name, share: request.share.sorted())
    }
  }

  mutating func giveUpWaiting(at now: BootInstant) -> [Effect] {
    var effects: [Effect] = []
    for name in names {
      guard let count = clients[name]?.requests.count else { continue }
      for index in 0..<count {
        guard let call = clients[name]?.requests[index].call, call.until <= now else { continue }
        clients[name]?.requests[index].call = nil
        effects.append(.answer(call.number, isDecided: false))
      }
    }
    return effects
  }

  /// Whether a client may do this with samples of a type; owners may.
  func may(_ client: ConnectedClient, _ permission: Permission, _ type: String) -> Bool {
    client.isOwner || decisions.decision(for: client.identity, permission, of: type) == .allowed
  }

  func isKnown(_ type: String) -> Bool {
    type.utf8.count <= 100 && (type == "heartbeatSeries" || isType(type))
  }

  private func isDecided(_ request: WaitingRequest, for client: ClientIdentity) -> Bool {
    request.objects == nil && request.share.allSatisfy { decisions.decision(for: client, .share, of: $0) != nil }
      && request.read.allSatisfy { decisions.decision(for: client, .read, of: $0) != nil }
  }

  /// Tells the owners that watch of a request.
  private func requested(_ request: WaitingRequest, of client: ClientIdentity) -> [Effect] {
    let asked = accessRequest(request, of: client)
    return names.filter { clients[$0]?.watchesRequests == true }.map { .requested(to: $0, asked) }
  }

  /// Returns the part of a request that the owner has not decided.
  func accessRequest(_ request: WaitingRequest, of client: ClientIdentity) -> AccessRequest {
    AccessRequest(
      client: client,
      share: request.share.filter { decisions.decision(for: client, .share, of: $0) == nil }.sorted(),
      read: request.read.filter { decisions.decision(for: client, .read, of: $0) == nil }.sorted(),
      objects: request.objects)
  }
}

/// The owner's decisions about clients: in the store, or in advance in the configuration, which the store overrules.
package struct Decisions: Hashable, Sendable {
  struct Key: Hashable {
    var client: ClientIdentity
    var type: String
    var permission: Permission

    init(_ client: ClientIdentity, _ permission: Permission, _ type: String) {
      self.client = client
      self.type = Grant.governing(type)
      self.permission = permission
    }
  }

  /// Those of the configuration, which are never forgotten.
  package let inAdvance: [Grant]
  /// Those of the store.
  package private(set) var stored: [Grant] = []
  /// The single samples that clients may read.
  package private(set) var objects: [ObjectGrant] = []
  private var objectsOfClient: [ClientIdentity: Set<UUID>] = [:]
  private var byKey: [Key: Grant.Decision] = [:]

  package init(inAdvance: [Grant] = []) {
    self.inAdvance = inAdvance
    replaceStored(with: [])
  }

  /// The store's decisions have been read anew.
  package mutating func replaceStored(with grants: [Grant], objects: [ObjectGrant] = []) {
    stored = grants
    self.objects = objects
    objectsOfClient = Dictionary(grouping: objects, by: \.client).mapValues { Set($0.map(\.object)) }
    byKey = [:]
    for grant in inAdvance + grants { byKey[Key(grant.client, grant.permission, grant.type)] = grant.decision }
  }

  /// The single samples that a client may read.
  func readableObjects(of client: ClientIdentity) -> Set<UUID> { objectsOfClient[client] ?? [] }

  /// The types that a client may read as a whole. One that is granted sample by sample is not among them, whatever a
  /// file holds.
  func readableTypes(of client: ClientIdentity) -> Set<String> {
    var types: Set<String> = []
    for (key, decision) in byKey where key.client == client && key.permission == .read && decision == .allowed {
      types.formUnion(Grant.governed(by: key.type).filter { !Grant.isByObject($0) })
    }
    return types
  }

  /// Returns the decision; nil if nothing was decided.
  func decision(for client: ClientIdentity, _ permission: Permission, of type: String) -> Grant.Decision? {
    byKey[Key(client, permission, type)]
  }
}
