/// Another program that takes part: the user it runs as, and the name that it gave itself.
///
/// The kernel vouches for the user. Inside one user the name is a record that a person can see and revoke, not a wall:
/// programs of one user can impersonate each other.
package struct ClientIdentity: Hashable, Sendable {
  /// The user identifier.
  package var uid: UInt32
  /// The application identifier, `org.example.Game` for instance, or ``unnamed``. Hostile text.
  package var application: String

  /// The identifier of a program that did not identify itself.
  package static let unnamed = "unnamed"

  /// The identifier of its source in the store: the application and, after an `@`, the user. So no other user's program can
  /// pass as it by claiming the same application, and none as the daemon, whose identifier has no `@`.
  package var source: String { "\(application)@\(uid)" }

  /// The client whose source has this identifier; nil where it is no client's.
  package init?(source: String) {
    guard let at = source.lastIndex(of: "@"), let uid = UInt32(source[source.index(after: at)...]) else { return nil }
    self.init(uid: uid, application: String(source[..<at]))
  }

  /// A program of that user.
  package init(uid: UInt32, application: String = ClientIdentity.unnamed) {
    self.uid = uid
    self.application = application
  }
}

extension ClientIdentity: Comparable {
  /// By user, then by application.
  package static func < (one: ClientIdentity, other: ClientIdentity) -> Bool {
    (one.uid, one.application) < (other.uid, other.application)
  }
}
