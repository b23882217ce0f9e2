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
