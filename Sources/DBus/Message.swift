/// A D-Bus message with its body decoded.
///
/// Source: D-Bus Specification, "Message Format". Names are checked when the message is sent.
public struct Message: Hashable, Sendable {
  public enum Kind: Int32, Hashable, Sendable {
    case methodCall = 1
    case methodReturn = 2
    case error = 3
    case signal = 4
  }

  public var kind: Kind
  public var path: ObjectPath?
  public var interface: String?
  public var member: String?
  public var errorName: String?
  public var destination: String?
  /// The unique name of the connection that sent it (`:1.42`), set by the bus.
  public var sender: String?
  /// Number of the message within its sender's connection; 0 before it is sent.
  public var serial: UInt32 = 0
  /// The serial of the call that a return or an error answers; 0 in calls and signals.
  public var replySerial: UInt32 = 0
  /// The caller wants no reply.
  public var noReply = false
  /// The bus must not start a service to deliver the call.
  public var noAutoStart = false
  public var body: [Value]

  public init(_ kind: Kind, body: [Value] = []) {
    self.kind = kind
    self.body = body
  }

  /// A call of `interface.member` on the object `path` of the connection `destination`.
  public static func call(
    _ destination: String?, path: ObjectPath, interface: String?, member: String, body: [Value] = []
  ) -> Message {
    var message = Message(.methodCall, body: body)
    message.destination = destination
    message.path = path
    message.interface = interface
    message.member = member
    return message
  }

  /// A signal that the object `path` emits, to everybody unless there is a `destination`.
  public static func signal(
    path: ObjectPath, interface: String, member: String, body: [Value] = [], to destination: String? = nil
  ) -> Message {
    var message = Message(.signal, body: body)
    message.path = path
    message.interface = interface
    message.member = member
    message.destination = destination
    return message
  }

  /// The answer to this call.
  public func reply(_ body: [Value] = []) -> Message {
    var message = Message(.methodReturn, body: body)
    message.destination = sender
    message.replySerial = serial
    message.noReply = true
    return message
  }

  /// The refusal of this call: an error's D-Bus name and a text for a person.
  public func errorReply(_ name: String, _ text: String) -> Message {
    var message = Message(.error, body: [.string(text)])
    message.errorName = name
    message.destination = sender
    message.replySerial = serial
    message.noReply = true
    return message
  }

  /// Whether this is the signal `interface.member`.
  public func isSignal(_ interface: String, _ member: String) -> Bool {
    kind == .signal && self.member == member && self.interface == interface
  }

  /// The size of the body on the wire, in bytes.
  ///
  /// - Throws: As ``Connection/send(_:)``, where the body could not be sent.
  public var bodyBytes: Int {
    get throws(DBusError) {
      var check = BodyCheck()
      try check.check(body)
      return check.size
    }
  }
}
