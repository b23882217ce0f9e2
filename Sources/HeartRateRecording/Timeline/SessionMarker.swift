/// A point in time that somebody marked during a session, in their own words.
public struct SessionMarker: Hashable, Sendable {
  /// When, in microseconds since 1970 (UTC).
  public var wallMicroseconds: Int64
  public var text: String

  public init(wallMicroseconds: Int64, text: String) {
    self.wallMicroseconds = wallMicroseconds
    self.text = text
  }
}
