package import HealthModel

extension ClientRegistry {
  /// Only an owner that is no application gets past this.
  ///
  /// - Throws: ``Refusal/notAuthorized``.
  package func requireOwner(_ name: String) throws(Refusal) {
    guard clients[name]?.isOwner == true else { throw .notAuthorized }
  }

  /// The overview for an owner: decisions, and requests that wait for one.
  package struct Overview: Hashable, Sendable {
    /// Decisions of the store, by client, type and permission.
    package var stored: [Grant]
    /// Those of the configuration that the store does not overrule.
    package var inAdvance: [Grant]
    package var waiting: [AccessRequest]
    /// Single samples that clients may read.
    package var objects: [ObjectGrant]
  }

  /// Lists decisions; from now on new requests are reported to the owner.
  ///
  /// - Throws: ``Refusal/notAuthorized``.
  package mutating func overview(for name: String) throws(Refusal) -> Overview {
    try requireOwner(name)
    clients[name]?.watchesRequests = true
    let overruled = Set(decisions.stored.map { Decisions.Key($0.client, $0.permission, $0.type) })
    return Overview(
      stored: decisions.stored,
      inAdvance: decisions.inAdvance.filter { !overruled.contains(Decisions.Key($0.client, $0.permission, $0.type)) },
      waiting: names.compactMap { clients[$0] }.flatMap { client in
        client.requests.map { accessRequest($0, of: client.identity) }
      },
      objects: decisions.objects)
  }

  /// Checks what an owner decides, and makes the decisions to be stored.
  ///
  /// - Parameters:
  ///   - name: The connection that decides.
  ///   - client: About whom.
  ///   - share: Types that it may save, or may not.
  ///   - read: Types that it may read, or may not.
  ///   - decision: The decision.
  ///   - time: When.
  /// - Returns: One for each type and permission.
  /// - Throws: ``Refusal/notAuthorized``, ``Refusal/invalidApplication``, ``Refusal/unknownType``,
  ///   ``Refusal/nothingToDecide``, ``Refusal/limitsExceeded(_:)``.
  package func grants(
    decidedBy name: String, about client: ClientIdentity, share: [String], read: [String], _ decision: Grant.Decision,
    at time: Timestamp
  ) throws(Refusal) -> [Grant] {
    try requireOwner(name)
    return try Self.grants(
      about: client, share: share, read: read, decision, at: time, limits: limits, isType: isType)
  }

  /// The same without a connection: for an owner who changes the store.
  package static func grants(
    about client: ClientIdentity, share: [String], read: [String], _ decision: Grant.Decision, at time: Timestamp,
    limits: ClientLimits = ClientLimits(), isType: (String) -> Bool
  ) throws(Refusal) -> [Grant] {
    guard client.application == ClientIdentity.unnamed || ConnectedClient.isApplication(client.application) else {
      throw .invalidApplication
    }
    guard share.count <= limits.types, read.count <= limits.types else { throw .limitsExceeded(.types) }
    guard (share + read).allSatisfy({ $0 == "heartbeatSeries" || isType($0) }) else { throw .unknownType }
    guard share.allSatisfy(Grant.canBeShared) else { throw .importOnly }
    guard decision == .denied || !read.contains(where: Grant.isByObject) else { throw .onlyByObject }
    guard !share.isEmpty || !read.isEmpty else { throw .nothingToDecide }
    func grants(_ types: [String], _ permission: Permission) -> [Grant] {
      Set(types.map(Grant.governing)).sorted().map {
        Grant(client: client, type: $0, permission: permission, decision: decision, decided: time)
      }
    }
    return grants(share, .share) + grants(read, .read)
  }

  /// Checks what an owner chose among samples that are granted one by one.
  ///
  /// - Throws: ``Refusal/notAuthorized``, ``Refusal/invalidApplication``, ``Refusal/unknownType``, ``Refusal/notByObject``,
  ///   ``Refusal/limitsExceeded(_:)``.
  package func check(_ choice: ObjectChoice, of name: String) throws(Refusal) {
    try requireOwner(name)
    try Self.check(choice, limits: limits)
  }

  /// The same without a connection: for an owner who changes the store.
  package static func check(_ choice: ObjectChoice, limits: ClientLimits = ClientLimits()) throws(Refusal) {
    guard
      choice.client.application == ClientIdentity.unnamed
        || ConnectedClient.isApplication(choice.client.application)
    else { throw .invalidApplication }
    guard SampleType(identifier: choice.type) != nil else { throw .unknownType }
    guard Grant.isByObject(choice.type) else { throw .notByObject }
    guard choice.allowed.count + choice.denied.count <= limits.objects else { throw .limitsExceeded(.samples) }
  }
}

/// The people whose recorder it is: they may do everything, and decide about clients.
package struct Owners: Hashable, Sendable {
  /// The user that the recorder runs as.
  package var uid: UInt32
  /// The group whose members own the service's recorder; nil for a person's own.
  package var group: UInt32?

  package init(uid: UInt32, group: UInt32? = nil) {
    self.uid = uid
    self.group = group
  }

  /// Whether a user is one of them, as the bus vouches for it and for the groups that its connection had when it connected.
  /// Root always is.
  package func include(uid: UInt32, groups: [UInt32]) -> Bool {
    uid == 0 || uid == self.uid || group.map(groups.contains) ?? false
  }
}
