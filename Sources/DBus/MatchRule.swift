/// Selects the broadcast messages that the bus sends to a connection.
///
/// Source: D-Bus Specification, "Match Rules".
public struct MatchRule: Hashable, Sendable {
  public var kind: Message.Kind?
  public var sender: String?
  public var interface: String?
  public var member: String?
  public var path: ObjectPath?
  /// An object and everything below it; not together with `path`.
  public var pathNamespace: ObjectPath?
  /// The required first argument, a string.
  public var firstArgument: String?

  public init(
    kind: Message.Kind? = .signal, sender: String? = nil, interface: String? = nil, member: String? = nil,
    path: ObjectPath? = nil, pathNamespace: ObjectPath? = nil, firstArgument: String? = nil
  ) {
    self.kind = kind
    self.sender = sender
    self.interface = interface
    self.member = member
    self.path = path
    self.pathNamespace = pathNamespace
    self.firstArgument = firstArgument
  }

  /// The rule as the bus reads it.
  public var text: String {
    var parts: [String] = []
    switch kind {
    case .methodCall: parts.append("type='method_call'")
    case .methodReturn: parts.append("type='method_return'")
    case .error: parts.append("type='error'")
    case .signal: parts.append("type='signal'")
    case nil: break
    }
    func add(_ key: String, _ value: String?) {
      guard let value else { return }
      // Inside apostrophes no character is special, so an apostrophe is put between them, escaped.
      parts.append(
        "\(key)='\(value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'")
    }
    add("sender", sender)
    add("interface", interface)
    add("member", member)
    add("path", path?.text)
    add("path_namespace", pathNamespace?.text)
    add("arg0", firstArgument)
    return parts.joined(separator: ",")
  }
}
