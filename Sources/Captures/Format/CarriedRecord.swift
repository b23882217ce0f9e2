/// A session's record of a kind that this version does not know, handed on as it is: a later version may read it again.
public struct CarriedRecord: Hashable, Sendable {
  /// How many of the session's events stand before it.
  public var eventsBefore: Int
  /// Its fields behind the slot, as they stand in the file: printable ASCII.
  public var fields: String

  public init(eventsBefore: Int, fields: String) {
    self.eventsBefore = eventsBefore
    self.fields = fields
  }
}
