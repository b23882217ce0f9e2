package import FoundationEssentials

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
