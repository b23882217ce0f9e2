import FoundationEssentials
package import HealthModel
package import SeriesStore
package import Support

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

  package init(_ grant: Grant) {
    self.init(
      client: grant.client, type: grant.type, permission: grant.permission, decision: grant.decision,
      decided: grant.decided)
  }

  /// A single sample that a program may read.
  package init(_ grant: ObjectGrant) {
    self.init(client: grant.client, type: grant.type, permission: .read, decision: .allowed, decided: grant.decided)
    isByObject = true
    object = RequestedObject(id: grant.object, start: nil, source: nil)
  }

  /// The word for the decision.
  package var word: String { decision?.rawValue ?? "notDetermined" }

  /// The object `{"application", "uid", "type", "permission", "decision", "decided", "configured"}`, and `"object"` of a single
  /// sample.
  package var json: JSONValue {
    guard isByObject, case .object(let members) = common else { return common }
    return .object(members + [.init("object", .string(object?.id.uuidString.lowercased()))])
  }

  private var common: JSONValue {
    [
      "application": .string(client.application), "uid": .integer(client.uid), "type": .string(type),
      "permission": .string(permission.rawValue), "decision": .string(word),
      "decided": .string(decided?.iso8601()), "configured": .bool(isConfigured),
    ]
  }
}

extension AllowedSensor {
  /// The object `{"address", "name", "added"}`.
  package var json: JSONValue {
    ["address": .string(address), "name": .string(name), "added": .string(added.iso8601())]
  }
}
