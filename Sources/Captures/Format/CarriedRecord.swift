/// A record of a session whose kind this version does not know. It is preserved, so that a later version can read it.
public struct CarriedRecord: Hashable, Sendable {
  /// The number of the session's events before it.
  public var eventsBefore: Int
  /// Its fields after the slot, as they are in the file: printable ASCII.
  public var fields: String

  public init(eventsBefore: Int, fields: String) {
    self.eventsBefore = eventsBefore
    self.fields = fields
  }
}
