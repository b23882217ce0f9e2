/// A point in time that somebody marked in a recording session: the level of a game, for instance.
public struct SessionMarker: Hashable, Sendable, Codable {
  /// The point that is marked.
  public var time: Timestamp
  /// What whoever marked it said of it, word for word: text of another program.
  public var text: String

  /// A marker with the given parts.
  public init(time: Timestamp, text: String) {
    self.time = time
    self.text = text
  }
}
