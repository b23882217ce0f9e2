internal import Glibc

/// Whether files are there; tests make up their own.
struct FileLookup: Sendable {
  enum Presence: Hashable {
    case present
    case absent
    /// A folder on the way may not be looked into.
    case forbidden
  }

  var presence: @Sendable (String) -> Presence

  /// The real ones.
  static let system = FileLookup { path in
    if unsafe access(path, F_OK) == 0 { return .present }
    return errno == EACCES ? .forbidden : .absent
  }
}
