/// An object of a service: its interfaces, and what a call of it asks for. Pure.
public struct ServiceObject: Hashable, Sendable {
  public let interfaces: [Interface]
  /// The last elements of the paths of the objects directly below.
  public let children: [String]

  public init(_ interfaces: [Interface] = [], children: [String] = []) {
    self.interfaces = interfaces
    self.children = children
  }

  /// The request that a call makes. Its method or property exists, and the arguments are of the declared types.
  public enum Request: Hashable, Sendable {
    case method(Interface, Interface.Method)
    case property(Interface, String)
    /// All properties of an interface; of none where it has none.
    case properties(Interface)
    /// The answer is known already: introspection, or an error.
    case answered(Reply)
  }

  /// Finds out what a call asks for, and checks its arguments.
  ///
  /// A call that names no interface is refused: which method it means would change with each interface that is added.
  public func request(of call: Message) -> Request {
    guard let name = call.interface else {
      return .answered(Self.error("UnknownInterface", "the call has to name its interface"))
    }
    guard let interface = (Interface.standard + interfaces).first(where: { $0.name == name }) else {
      return .answered(Self.error("UnknownInterface", "there is no such interface"))
    }
    guard let method = interface.methods.first(where: { $0.name == call.member }) else {
      return .answered(Self.error("UnknownMethod", "\(name) has no such method"))
    }
    guard call.signature == method.inputs.signature else {
      let wanted = method.inputs.signature
      return .answered(
        Self.error("InvalidArgs", "\(method.name) takes \(wanted.isEmpty ? "no arguments" : "(\(wanted))")"))
    }
    return switch (name, method.name) {
    case ("org.freedesktop.DBus.Introspectable", _): .answered(.values([.string(introspection)]))
    case ("org.freedesktop.DBus.Properties", let member): propertyRequest(member, call.body)
    default: .method(interface, method)
    }
  }

  /// The answer to `Introspect`.
  public var introspection: String {
    var text = """
      <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
      <node>

      """
    for interface in Interface.standard + interfaces { text += interface.introspection }
    for child in children { text += "  <node name=\"\(child)\"/>\n" }
    return text + "</node>\n"
  }

  private func propertyRequest(_ member: String, _ body: [Value]) -> Request {
    let name = body.first?.string
    guard let interface = (Interface.standard + interfaces).first(where: { $0.name == name }) else {
      return .answered(Self.error("UnknownInterface", "there is no such interface"))
    }
    if member == "GetAll" { return .properties(interface) }
    guard body.count > 1, let property = interface.properties.first(where: { $0.name == body[1].string }) else {
      return .answered(Self.error("UnknownProperty", "there is no such property"))
    }
    guard member == "Get" else {
      return .answered(Self.error("PropertyReadOnly", "\(property.name) cannot be set"))
    }
    return .property(interface, property.name)
  }

  private static func error(_ name: String, _ message: String) -> Reply {
    .error(name: "org.freedesktop.DBus.Error.\(name)", message: message)
  }
}

extension Message {
  /// The types of the body; nil where a value has none.
  fileprivate var signature: String? {
    var text = ""
    for value in body {
      guard let type = try? value.type else { return nil }
      text += type.text
    }
    return text
  }
}

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
