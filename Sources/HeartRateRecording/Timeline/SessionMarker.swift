public import HealthModel

/// A point in time that somebody marked during a session, in their own words.
public struct SessionMarker: Hashable, Sendable {
  public var time: Timestamp
  public var text: String

  public init(time: Timestamp, text: String) {
    self.time = time
    self.text = text
  }
}
