package import FoundationEssentials

/// The owner's decision about one client, one type and one permission.
package struct Grant: Hashable, Sendable {
  /// The program that the decision is about.
  package var client: ClientIdentity
  /// The identifier of the type: `heartRate` for instance.
  package var type: String
  /// The permission that was decided: saving or reading.
  package var permission: Permission
  /// The owner's answer.
  package var decision: Decision
  /// The time of the decision.
  package var decided: Timestamp

  /// The two answers of an owner; nothing is decided before the first one.
  package enum Decision: String, Hashable, Sendable, CaseIterable {
    case allowed, denied
  }

  /// A decision with the given parts.
  package init(
    client: ClientIdentity, type: String, permission: Permission, decision: Decision, decided: Timestamp
  ) {
    self.client = client
    self.type = type
    self.permission = permission
    self.decision = decision
    self.decided = decided
  }

  /// The type whose grants decide about `type`: beats go with the figure of variability that is computed from them.
  package static func governing(_ type: String) -> String {
    type == beats ? variability : type
  }

  /// The types about which a grant of `type` decides.
  package static func governed(by type: String) -> [String] {
    type == variability ? [type, beats] : [type]
  }

  /// Whether reading samples of that type is granted one by one only.
  package static func isByObject(_ type: String) -> Bool {
    SampleType(identifier: type)?.requiresPerObjectAuthorization ?? false
  }

  /// Whether programs may be allowed to save samples of that type.
  package static func canBeShared(_ type: String) -> Bool {
    SampleType(identifier: type)?.canBeShared ?? true
  }

  private static let beats = SampleType.heartbeatSeries.identifier
  private static let variability = QuantityType.heartRateVariabilitySDNN.identifier
}

/// An action of a client with samples of a type. Each permission is granted by itself, as in HealthKit.
package enum Permission: String, Hashable, Sendable, CaseIterable {
  /// Permission to save samples, and to replace and delete the client's own samples.
  case share
  /// Permission to read samples of every source.
  case read
}

/// The owner's permission for one client to read one sample, for types that are granted object by object.
package struct ObjectGrant: Hashable, Sendable {
  /// The program that may read the sample.
  package var client: ClientIdentity
  /// The identifier of the sample's type.
  package var type: String
  /// The identifier of the sample.
  package var object: UUID
  /// The time of the decision.
  package var decided: Timestamp

  /// A permission with the given parts.
  package init(client: ClientIdentity, type: String, object: UUID, decided: Timestamp) {
    self.client = client
    self.type = type
    self.object = object
    self.decided = decided
  }
}

/// An owner's choice among the samples of a type that is granted one by one. Nothing changes for samples in neither set.
package struct ObjectChoice: Hashable, Sendable {
  /// The program that the decision is about.
  package var client: ClientIdentity
  /// The identifier of the type.
  package var type: String
  /// The identifiers of samples that the program may read.
  package var allowed: Set<UUID>
  /// The identifiers of samples that the program may not read, or not any more.
  package var denied: Set<UUID>
  /// The time of the decision.
  package var decided: Timestamp

  /// A choice with the given parts. A sample in both sets is denied.
  package init(
    client: ClientIdentity, type: String, allowed: Set<UUID>, denied: Set<UUID>, decided: Timestamp
  ) {
    self.client = client
    self.type = type
    self.allowed = allowed.subtracting(denied)
    self.denied = denied
    self.decided = decided
  }
}

/// A sample that a client asks to read, as the owner is shown it.
package struct RequestedObject: Hashable, Sendable {
  /// The identifier of the sample.
  package var id: UUID
  /// The start of the sample; of a prescription, the time of its issue. Nil where it is not given.
  package var start: Timestamp?
  /// The identifier of the program that saved the sample: hostile text. Nil where it is not given.
  package var source: String?
  /// The name of a clinical record: hostile text. Nil for other samples, and where it is not given.
  package var title: String?

  /// A sample with the given parts.
  package init(id: UUID, start: Timestamp?, source: String?, title: String? = nil) {
    self.id = id
    self.start = start
    self.source = source
    self.title = title
  }

  /// The sample with the facts by which an owner chooses it.
  package init(_ sample: HealthSample, title: String?) {
    self.init(id: sample.id, start: sample.start, source: sample.source.identifier, title: title)
  }
}

/// The samples of one type that a client asks for.
package struct RequestedObjects: Hashable, Sendable {
  /// The identifier of the type.
  package var type: String
  /// The samples that matched at the time of the request. The list may be empty: the owner is asked all the same, or else the
  /// client would learn that there is no such sample.
  package var objects: [RequestedObject]

  /// Samples with the given parts.
  package init(type: String, objects: [RequestedObject]) {
    self.type = type
    self.objects = objects
  }
}

/// One line of an owner's list about other programs: a decision or an open request.
package struct GrantEntry: Hashable, Sendable {
  package var client: ClientIdentity
  /// The identifier of the type.
  package var type: String
  package var permission: Permission
  /// Nil while the owner is asked.
  package var decision: Grant.Decision?
  /// The time of the decision; nil without a decision, or where the configuration decides.
  package var decided: Timestamp?
  /// Whether the entry is about single samples of the type: about ``object``, or about no sample where nothing matches the
  /// request.
  package var isByObject = false
  package var object: RequestedObject?
  /// Whether the configuration decides.
  package var isConfigured: Bool

  package init(
    client: ClientIdentity, type: String, permission: Permission, decision: Grant.Decision?, decided: Timestamp?,
    isConfigured: Bool = false
  ) {
    self.client = client
    self.type = type
    self.permission = permission
    self.decision = decision
    self.decided = decided
    self.isConfigured = isConfigured
  }

  /// A decision, of the owner or of the configuration.
  package init(_ grant: Grant, isConfigured: Bool = false) {
    self.init(
      client: grant.client, type: grant.type, permission: grant.permission, decision: grant.decision,
      decided: isConfigured ? nil : grant.decided, isConfigured: isConfigured)
  }

  /// A single sample that a program may read.
  package init(_ grant: ObjectGrant) {
    self.init(client: grant.client, type: grant.type, permission: .read, decision: .allowed, decided: grant.decided)
    isByObject = true
    object = RequestedObject(id: grant.object, start: nil, source: nil)
  }

  /// The word for the decision.
  package var word: String { decision?.rawValue ?? "notDetermined" }
}
