/// An interface that an object has, as a value. Both the introspection and the check of calls follow from it, so that
/// neither can contradict the other.
///
/// Source: D-Bus Specification, "Introspection Data Format". Properties can be read and not written; no signal reports
/// that they changed.
public struct Interface: Hashable, Sendable {
  /// One value of a method or a signal, with its single complete type.
  public struct Argument: Hashable, Sendable {
    public let name: String
    public let type: Signature

    public init(_ name: String, _ type: Signature) {
      self.name = name
      self.type = type
    }
  }

  public struct Method: Hashable, Sendable {
    public let name: String
    public let inputs: [Argument]
    public let outputs: [Argument]

    public init(_ name: String, in inputs: [Argument] = [], out outputs: [Argument] = []) {
      self.name = name
      self.inputs = inputs
      self.outputs = outputs
    }
  }

  public struct Signal: Hashable, Sendable {
    public let name: String
    public let arguments: [Argument]

    public init(_ name: String, _ arguments: [Argument] = []) {
      self.name = name
      self.arguments = arguments
    }
  }

  /// `org.example.Thing1`.
  public let name: String
  public let methods: [Method]
  public let signals: [Signal]
  /// The properties, each with its type.
  public let properties: [Argument]

  public init(_ name: String, methods: [Method] = [], signals: [Signal] = [], properties: [Argument] = []) {
    self.name = name
    self.methods = methods
    self.signals = signals
    self.properties = properties
  }
}

extension [Interface.Argument] {
  /// The types one after the other, as a message has them.
  var signature: String { map(\.type.text).joined() }
}

extension Interface {
  /// The interface as introspection data, indented by two blanks.
  var introspection: String {
    var text = "  <interface name=\"\(name)\">\n"
    for method in methods {
      let arguments =
        method.inputs.map { Self.line($0, direction: "in") } + method.outputs.map { Self.line($0, direction: "out") }
      text += Self.element("method", method.name, arguments)
    }
    for signal in signals { text += Self.element("signal", signal.name, signal.arguments.map { Self.line($0) }) }
    for property in properties {
      text += "    <property name=\"\(property.name)\" type=\"\(property.type)\" access=\"read\">\n"
      text += "      <annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" value=\"false\"/>\n"
      text += "    </property>\n"
    }
    return text + "  </interface>\n"
  }

  private static func element(_ kind: String, _ name: String, _ lines: [String]) -> String {
    guard !lines.isEmpty else { return "    <\(kind) name=\"\(name)\"/>\n" }
    return "    <\(kind) name=\"\(name)\">\n\(lines.joined())    </\(kind)>\n"
  }

  private static func line(_ argument: Argument, direction: String? = nil) -> String {
    let direction = direction.map { " direction=\"\($0)\"" } ?? ""
    return "      <arg name=\"\(argument.name)\" type=\"\(argument.type)\"\(direction)/>\n"
  }

  /// The interfaces that every object of a service has.
  static let standard: [Interface] = [
    Interface(
      "org.freedesktop.DBus.Introspectable", methods: [Method("Introspect", out: [Argument("data", "s")])]),
    Interface(
      "org.freedesktop.DBus.Peer", methods: [Method("Ping"), Method("GetMachineId", out: [Argument("id", "s")])]),
    Interface(
      "org.freedesktop.DBus.Properties",
      methods: [
        Method("Get", in: [Argument("interface", "s"), Argument("name", "s")], out: [Argument("value", "v")]),
        Method("GetAll", in: [Argument("interface", "s")], out: [Argument("values", "a{sv}")]),
        Method("Set", in: [Argument("interface", "s"), Argument("name", "s"), Argument("value", "v")]),
      ]),
  ]
}
