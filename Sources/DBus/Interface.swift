/// An interface that an object has, as a value. What introspection tells of it, and which calls are let through, both follow
/// from it, so that neither can contradict the other.
///
/// Source: D-Bus Specification, "Introspection Data Format". Properties can be read and not written; no signal tells that
/// they changed.
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
