public import FoundationEssentials

/// A capture file in a ``CaptureArchive``.
public struct KeptCapture: Hashable, Sendable {
  public var session: UUID
  public var path: String
  public var bytes: Int64
  /// Seconds since 1970 when it was written.
  public var modified: Int64

  public init(session: UUID, path: String, bytes: Int64, modified: Int64) {
    self.session = session
    self.path = path
    self.bytes = bytes
    self.modified = modified
  }
}
