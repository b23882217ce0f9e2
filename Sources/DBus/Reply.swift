/// The answer of an exported object to a call.
public enum Reply: Hashable, Sendable {
  case values([Value])
  /// An error's D-Bus name and a text for a person.
  case error(name: String, message: String)
  /// The answer follows: the handler keeps the call and later sends ``Message/reply(_:)`` or ``Message/errorReply(_:_:)``.
  /// The caller waits until then.
  case later
  /// The object has no such interface or method.
  case unknownMethod

  /// Success without values.
  public static let success = Reply.values([])
}
