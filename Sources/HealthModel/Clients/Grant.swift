package import FoundationEssentials

/// What the owner decided about one client, one type and one permission.
package struct Grant: Hashable, Sendable {
  /// The program it is about.
  package var client: ClientIdentity
  /// The identifier of the type: `heartRate` for instance.
  package var type: String
  /// What it is about: saving or reading.
  package var permission: Permission
  /// What was decided.
  package var decision: Decision
  /// When that was decided.
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

/// What a client may do with samples of a type. Each is granted by itself, as in HealthKit.
package enum Permission: String, Hashable, Sendable, CaseIterable {
  /// To save samples, and to replace and delete those that it saved itself.
  case share
  /// To read samples of every source.
  case read
}

/// The owner's permission for one client to read one sample, for types that are granted object by object.
package struct ObjectGrant: Hashable, Sendable {
  /// The program that may read it.
  package var client: ClientIdentity
  /// The identifier of the sample's type.
  package var type: String
  /// The identifier of the sample.
  package var object: UUID
  /// When that was decided.
  package var decided: Timestamp

  /// A permission with the given parts.
  package init(client: ClientIdentity, type: String, object: UUID, decided: Timestamp) {
    self.client = client
    self.type = type
    self.object = object
    self.decided = decided
  }
}

/// What an owner chose of the samples of a type that is granted one by one. Of samples that are in neither set nothing changes.
package struct ObjectChoice: Hashable, Sendable {
  /// The program it is about.
  package var client: ClientIdentity
  /// The identifier of the type.
  package var type: String
  /// What it may read.
  package var allowed: Set<UUID>
  /// What it may not read, or not any more.
  package var denied: Set<UUID>
  /// When that was decided.
  package var decided: Timestamp

  /// A choice with the given parts. What is in both sets is denied.
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
  /// When it starts; a prescription, when it was issued. Nil where that is not told.
  package var start: Timestamp?
  /// The identifier of the program that saved it. Hostile text. Nil where that is not told.
  package var source: String?
  /// What a clinical record is called. Hostile text. Nil for other samples, and where it is not told.
  package var title: String?

  /// A sample with the given parts.
  package init(id: UUID, start: Timestamp?, source: String?, title: String? = nil) {
    self.id = id
    self.start = start
    self.source = source
    self.title = title
  }

  /// What an owner has to know of a sample to choose it.
  package init(_ sample: HealthSample, title: String?) {
    self.init(id: sample.id, start: sample.start, source: sample.source.identifier, title: title)
  }
}

/// The samples of one type that a client asks for.
package struct RequestedObjects: Hashable, Sendable {
  /// The identifier of the type.
  package var type: String
  /// What matched when it asked. There may be none: the owner is asked all the same, or the client learned that there is none.
  package var objects: [RequestedObject]

  /// Samples with the given parts.
  package init(type: String, objects: [RequestedObject]) {
    self.type = type
    self.objects = objects
  }
}
