internal import CDBus

extension Message {
  /// The largest body that is sent, and the largest message that is accepted: what the system bus allows.
  static let maximumBytes = 32 << 20

  /// The message as libdbus sends it, with its serial set.
  ///
  /// - Throws: ``DBusError/Code/invalid``, ``DBusError/Code/nestedTooDeeply``, ``DBusError/Code/tooLarge``; then nothing
  ///   has been sent.
  func encode(serial: UInt32) throws(DBusError) -> WireMessage {
    try checkHeader()
    var check = BodyCheck()
    try check.check(body)

    guard let pointer = unsafe dbus_message_new(kind.rawValue) else { throw WireMessage.outOfMemory }
    let wire = unsafe WireMessage(owning: pointer)
    try unsafe Self.set(path?.text, wire, dbus_message_set_path)
    try unsafe Self.set(interface, wire, dbus_message_set_interface)
    try unsafe Self.set(member, wire, dbus_message_set_member)
    try unsafe Self.set(errorName, wire, dbus_message_set_error_name)
    try unsafe Self.set(destination, wire, dbus_message_set_destination)
    if replySerial != 0, unsafe dbus_message_set_reply_serial(wire.pointer, replySerial) == 0 {
      throw WireMessage.outOfMemory
    }
    unsafe dbus_message_set_no_reply(wire.pointer, noReply ? 1 : 0)
    unsafe dbus_message_set_auto_start(wire.pointer, noAutoStart ? 0 : 1)
    unsafe dbus_message_set_serial(wire.pointer, serial)

    var iterator = unsafe DBusMessageIter()
    unsafe dbus_message_iter_init_append(wire.pointer, &iterator)
    for value in body { try unsafe value.append(to: &iterator) }
    return wire
  }

  /// libdbus ends the process when it gets an invalid name, so all names are checked first.
  private func checkHeader() throws(DBusError) {
    try unsafe Self.check(interface, "interface", dbus_validate_interface)
    try unsafe Self.check(member, "member", dbus_validate_member)
    try unsafe Self.check(errorName, "error", dbus_validate_error_name)
    try unsafe Self.check(destination, "destination", dbus_validate_bus_name)
    let isComplete =
      switch kind {
      case .methodCall: path != nil && member != nil
      case .signal: path != nil && member != nil && interface != nil
      case .methodReturn: replySerial != 0
      case .error: replySerial != 0 && errorName != nil
      }
    guard isComplete else { throw DBusError(.invalid, "a message of this kind needs more header fields") }
    // Reserved for libdbus's own message at the end of a connection; the bus disconnects whoever sends it.
    guard path?.text != "/org/freedesktop/DBus/Local", interface != "org.freedesktop.DBus.Local" else {
      throw DBusError(.invalid, "the object and interface of libdbus's own messages are reserved")
    }
  }

  private static func set(
    _ text: String?, _ wire: borrowing WireMessage,
    _ setter: (OpaquePointer?, UnsafePointer<CChar>?) -> dbus_bool_t
  ) throws(DBusError) {
    guard let text else { return }
    guard unsafe setter(wire.pointer, text) != 0 else { throw WireMessage.outOfMemory }
  }

  private static func check(
    _ name: String?, _ field: String,
    _ isValid: (UnsafePointer<CChar>?, UnsafeMutablePointer<CDBus.DBusError>?) -> dbus_bool_t
  ) throws(DBusError) {
    guard let name else { return }
    guard !name.utf8.contains(0), unsafe isValid(name, nil) != 0 else {
      throw DBusError(.invalid, "not a valid \(field) name")
    }
  }
}
