package import FoundationEssentials

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
