/// What an exported object answers to a call.
public enum Reply: Hashable, Sendable {
  case values([Value])
  /// An error's D-Bus name and a text for a person.
  case error(name: String, message: String)
  /// The answer follows: the handler keeps the call and sends ``Message/reply(_:)`` or
  /// ``Message/errorReply(_:_:)`` when it is known. Until then the caller waits.
  case later
  /// The object has no such interface or method.
  case unknownMethod

  /// Success without values.
  public static let success = Reply.values([])
}
