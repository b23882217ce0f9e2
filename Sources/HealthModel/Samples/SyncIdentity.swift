/// Identifies several saves of one object: of equal identifiers of one source, the strictly greater version is kept.
public struct SyncIdentity: Hashable, Sendable, Codable {
  /// The same for all saves of one object.
  public var identifier: String
  /// The greatest version is kept.
  public var version: Int64

  /// The identity of a save.
  public init(identifier: String, version: Int64) {
    self.identifier = identifier
    self.version = version
  }
}
