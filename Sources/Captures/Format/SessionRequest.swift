public import FoundationEssentials

/// Who asked for a session, and whether it is to end with their program.
///
/// It stands in a record of its own, not in the session's metadata: what a program says of a session can never change whose it is.
public struct SessionRequest: Hashable, Sendable {
  /// The identity of the request: that of its first session. A session that goes on in another one keeps it.
  public var identifier: UUID
  /// The user identifier of the program.
  public var uid: UInt32
  /// The application identifier of the program.
  public var application: String
  /// Whether the session ends when the program goes.
  public var endsWithClient: Bool

  public init(identifier: UUID, uid: UInt32, application: String, endsWithClient: Bool) {
    self.identifier = identifier
    self.uid = uid
    self.application = application
    self.endsWithClient = endsWithClient
  }
}
