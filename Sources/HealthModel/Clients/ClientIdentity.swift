package import FoundationEssentials

/// A program that is a client: the user that the program runs as, and the name that it gave itself.
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

  /// The identifier of the client's source in the store: the application and, after an `@`, the user. So no other user's program
  /// can pass as this one by claiming the same application, and no client as the daemon, whose identifier has no `@`.
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
  /// Orders clients by user, then by application.
  package static func < (one: ClientIdentity, other: ClientIdentity) -> Bool {
    (one.uid, one.application) < (other.uid, other.application)
  }
}

/// The samples that one reader may see: all samples of some types, the reader's own, and single samples.
///
/// For the reader nothing else exists. The answer to a query, and the work for it, are the same whether there are other samples
/// or not. Recording sessions are in no scope; their samples are.
package struct ReadScope: Hashable, Sendable {
  /// The identifiers of types whose samples the reader may read, from every source.
  package var types: Set<String>
  /// The identifier of the reader's own source, whose samples the reader may read whatever their type; nil without such a source.
  package var source: String?
  /// The identifiers of samples that the reader may read one by one.
  package var objects: Set<UUID>

  /// A scope with the given parts; nothing by default.
  package init(types: Set<String> = [], source: String? = nil, objects: Set<UUID> = []) {
    self.types = types
    self.source = source
    self.objects = objects
  }

  /// Whether the type or the source of a change lets the reader see it, or the object where reading is granted one by one.
  package func includes(_ change: StoreChange) -> Bool {
    guard let type = change.type, type != .session else { return false }
    return types.contains(type.identifier) || source != nil && change.source == source
      || change.object.map(objects.contains) ?? false
  }

  /// The scope without the types that the predicate rules out, so that no store searches their samples.
  package func narrowed(to predicate: SamplePredicate) -> ReadScope {
    var scope = self
    scope.types = types.filter { predicate.mayMean(typeIdentifier: $0) }
    return scope
  }
}
