internal import CDBus

extension Message {
  /// Decodes the header of a message that libdbus has received and validated; the body stays empty.
  init?(headerOf message: OpaquePointer) {
    guard let kind = unsafe Kind(rawValue: dbus_message_get_type(message)) else { return nil }
    self.init(kind)
    func text(_ pointer: UnsafePointer<CChar>?) -> String? {
      unsafe pointer.map { unsafe String(cString: $0) }
    }
    path = unsafe text(dbus_message_get_path(message)).map { ObjectPath(trusted: $0) }
    interface = unsafe text(dbus_message_get_interface(message))
    member = unsafe text(dbus_message_get_member(message))
    errorName = unsafe text(dbus_message_get_error_name(message))
    destination = unsafe text(dbus_message_get_destination(message))
    sender = unsafe text(dbus_message_get_sender(message))
    serial = unsafe dbus_message_get_serial(message)
    replySerial = unsafe dbus_message_get_reply_serial(message)
    noReply = unsafe dbus_message_get_no_reply(message) != 0
    noAutoStart = unsafe dbus_message_get_auto_start(message) == 0
  }

  /// The values that a call or a signal may have, those in containers included. Anybody may send one, and a value takes up to
  /// twenty times as much memory as its bytes in the message. An answer was asked for, and is not limited.
  static let mostUnaskedValues = 20_480

  /// Decodes the body.
  ///
  /// - Throws: ``DBusError/Code/system(errno:)`` where a passed descriptor could not be copied,
  ///   ``DBusError/Code/nestedTooDeeply``, ``DBusError/Code/tooLarge`` where it has more than ``mostUnaskedValues``.
  mutating func decodeBody(of message: OpaquePointer) throws(DBusError) {
    var iterator = unsafe DBusMessageIter()
    guard unsafe dbus_message_iter_init(message, &iterator) != 0 else { return }
    var budget = kind == .methodCall || kind == .signal ? Self.mostUnaskedValues : .max
    body = try unsafe Value.decodeRow(&iterator, depth: 0, budget: &budget)
  }
}
