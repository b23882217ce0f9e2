package import HealthModel
package import Sensors

extension ClientRegistry {
  /// A connection says which application it is, once.
  ///
  /// - Throws: ``Refusal/alreadyIdentified``, ``Refusal/invalidApplication``.
  package mutating func identify(_ name: String, as application: String) throws(Refusal) {
    try clients[name]?.identify(as: application)
    // What an owner's program could read it may not be able to read as an application; never the other way round.
    _ = updatePermissions()
  }

  /// A client asks the owner for permissions.
  ///
  /// - Parameters:
  ///   - name: Who asks.
  ///   - share: Types that it wants to save.
  ///   - read: Types that it wants to read.
  ///   - call: What ``Effect/answer(_:isDecided:)`` names it by.
  ///   - now: When.
  /// - Returns: The answer where everything is decided; else it follows.
  /// - Throws: ``Refusal/unknownType``, ``Refusal/limitsExceeded(_:)``.
  package mutating func request(
    _ name: String, share: [String], read: [String], call: UInt64, at now: BootInstant
  ) throws(Refusal) -> [Effect] {
    guard share.count <= limits.types, read.count <= limits.types else { throw .limitsExceeded(.types) }
    guard (share + read).allSatisfy(isKnown) else { throw .unknownType }
    guard var client = clients[name] else { return [] }
    var request = WaitingRequest(
      share: Set(share.map(Grant.governing)), read: Set(read.map(Grant.governing)),
      call: WaitingRequest.Call(number: call, until: now.advanced(byMicroseconds: WaitingRequest.patience)))
    if client.isOwner || isDecided(request, for: client.identity) { return [.answer(call, isDecided: true)] }
    // The same question again, after it was answered that nothing is decided, takes the place of the first.
    client.requests.removeAll { $0.call == nil && $0.share == request.share && $0.read == request.read }
    guard client.requests.count < limits.requests else { throw .limitsExceeded(.requests) }
    let ofUser = clients.values.reduce(0) { $0 + ($1.uid == client.uid ? $1.requests.count : 0) }
    guard ofUser < limits.requestsOfUser else { throw .limitsExceeded(.requests) }
    client.requests.append(request)
    clients[name] = client
    request.call = nil
    let asked = accessRequest(request, of: client.identity)
    return names.filter { clients[$0]?.watchesRequests == true }.map { .requested(to: $0, asked) }
  }

  /// Whether a client may save samples of a type: all that it is told. Nothing is told about reading.
  ///
  /// - Returns: Nil where nothing is decided.
  /// - Throws: ``Refusal/unknownType``.
  package func shareStatus(_ name: String, of type: String) throws(Refusal) -> Grant.Decision? {
    guard isKnown(type) else { throw .unknownType }
    guard let client = clients[name] else { return nil }
    return client.isOwner ? .allowed : decisions.decision(for: client.identity, .share, of: type)
  }

  /// The decisions of the store are these from now on: requests are answered, live values begin or end.
  package mutating func replaceDecisions(with grants: [Grant]) -> [Effect] {
    decisions.replaceStored(with: grants)
    var effects = updatePermissions()
    for name in names {
      guard var client = clients[name] else { continue }
      let identity = client.identity
      let decided = client.requests.filter { isDecided($0, for: identity) }
      guard !decided.isEmpty else { continue }
      client.requests.removeAll { isDecided($0, for: identity) }
      clients[name] = client
      for request in decided {
        effects.append(
          request.call.map { .answer($0.number, isDecided: true) }
            ?? .decided(to: name, share: request.share.sorted()))
      }
    }
    return effects
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

  private func isKnown(_ type: String) -> Bool {
    type.utf8.count <= 100 && (type == "heartbeatSeries" || isType(type))
  }

  private func isDecided(_ request: WaitingRequest, for client: ClientIdentity) -> Bool {
    request.share.allSatisfy { decisions.decision(for: client, .share, of: $0) != nil }
      && request.read.allSatisfy { decisions.decision(for: client, .read, of: $0) != nil }
  }

  /// What of a request the owner has not decided.
  func accessRequest(_ request: WaitingRequest, of client: ClientIdentity) -> AccessRequest {
    AccessRequest(
      client: client,
      share: request.share.filter { decisions.decision(for: client, .share, of: $0) == nil }.sorted(),
      read: request.read.filter { decisions.decision(for: client, .read, of: $0) == nil }.sorted())
  }
}
