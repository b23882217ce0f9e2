internal import Glibc

/// Whether files are there; tests make up their own.
package struct FileLookup: Sendable {
  package enum Presence: Hashable {
    case present
    case absent
    /// A folder on the way may not be looked into.
    case forbidden
  }

  package var presence: @Sendable (String) -> Presence

  package init(presence: @escaping @Sendable (String) -> Presence) {
    self.presence = presence
  }

  /// The real ones.
  package static let system = FileLookup { path in
    if unsafe access(path, F_OK) == 0 { return .present }
    return errno == EACCES ? .forbidden : .absent
  }
}
