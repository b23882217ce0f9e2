import CDBus

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

extension Value {
  /// Appends the value to a message. ``BodyCheck`` must have accepted it.
  ///
  /// - Throws: ``DBusError/Code/tooLarge`` if memory runs out, ``DBusError/Code/system(errno:)`` and
  ///   ``DBusError/Code/invalid`` for a descriptor that cannot be copied.
  func append(to iterator: inout DBusMessageIter) throws(DBusError) {
    switch self {
    case .byte(let value): try unsafe Self.append(value, TypeCode.byte, &iterator)
    case .boolean(let value): try unsafe Self.append(dbus_bool_t(value ? 1 : 0), TypeCode.boolean, &iterator)
    case .int16(let value): try unsafe Self.append(value, TypeCode.int16, &iterator)
    case .uint16(let value): try unsafe Self.append(value, TypeCode.uint16, &iterator)
    case .int32(let value): try unsafe Self.append(value, TypeCode.int32, &iterator)
    case .uint32(let value): try unsafe Self.append(value, TypeCode.uint32, &iterator)
    case .int64(let value): try unsafe Self.append(value, TypeCode.int64, &iterator)
    case .uint64(let value): try unsafe Self.append(value, TypeCode.uint64, &iterator)
    case .double(let value): try unsafe Self.append(value, TypeCode.double, &iterator)
    case .string(let text): try unsafe Self.append(text: text, TypeCode.string, &iterator)
    case .objectPath(let path): try unsafe Self.append(text: path.text, TypeCode.objectPath, &iterator)
    case .signature(let signature): try unsafe Self.append(text: signature.text, TypeCode.signature, &iterator)
    case .descriptor(let descriptor):
      // The message makes its own copy; this one is closed at the end of the block.
      let copy = try descriptor.duplicate()
      try unsafe Self.append(copy.number, TypeCode.descriptor, &iterator)
    case .bytes(let bytes): try unsafe Self.append(bytes: bytes, &iterator)
    case .array(let elements, of: let type):
      try unsafe Self.appendContainer(TypeCode.array, type.text, &iterator) {
        (inside: inout DBusMessageIter) throws(DBusError) in
        for element in elements { try unsafe element.append(to: &inside) }
      }
    case .dictionary(let dictionary):
      try unsafe Self.appendContainer(TypeCode.array, "{\(dictionary.entrySignature.text)}", &iterator) {
        (inside: inout DBusMessageIter) throws(DBusError) in
        for entry in dictionary.entries {
          try unsafe Self.appendContainer(TypeCode.dictionaryEntry, nil, &inside) {
            (inside: inout DBusMessageIter) throws(DBusError) in
            try unsafe entry.key.append(to: &inside)
            try unsafe entry.value.append(to: &inside)
          }
        }
      }
    case .structure(let fields):
      try unsafe Self.appendContainer(TypeCode.structure, nil, &iterator) {
        (inside: inout DBusMessageIter) throws(DBusError) in
        for field in fields { try unsafe field.append(to: &inside) }
      }
    case .variant(let inner):
      try unsafe Self.appendContainer(TypeCode.variant, try inner.type.text, &iterator) {
        (inside: inout DBusMessageIter) throws(DBusError) in
        try unsafe inner.append(to: &inside)
      }
    }
  }

  private static func append<Number: BitwiseCopyable>(
    _ value: Number, _ code: Int32, _ iterator: inout DBusMessageIter
  ) throws(DBusError) {
    var value = value
    guard unsafe dbus_message_iter_append_basic(&iterator, code, &value) != 0 else { throw WireMessage.outOfMemory }
  }

  private static func append(
    text: String, _ code: Int32, _ iterator: inout DBusMessageIter
  ) throws(DBusError) {
    let appended = unsafe text.withCString { text in
      var pointer: UnsafePointer<CChar>? = unsafe text
      return unsafe dbus_message_iter_append_basic(&iterator, code, &pointer)
    }
    guard appended != 0 else { throw WireMessage.outOfMemory }
  }

  /// Appends all bytes in one copy.
  private static func append(bytes: [UInt8], _ iterator: inout DBusMessageIter) throws(DBusError) {
    try unsafe appendContainer(TypeCode.array, "y", &iterator) { (inside: inout DBusMessageIter) throws(DBusError) in
      guard !bytes.isEmpty else { return }
      let appended = unsafe bytes.withUnsafeBufferPointer { buffer in
        var pointer = buffer.baseAddress
        return unsafe dbus_message_iter_append_fixed_array(&inside, TypeCode.byte, &pointer, Int32(buffer.count))
      }
      guard appended != 0 else { throw WireMessage.outOfMemory }
    }
  }

  private static func appendContainer(
    _ code: Int32, _ contents: String?, _ iterator: inout DBusMessageIter,
    _ appendContents: (inout DBusMessageIter) throws(DBusError) -> Void
  ) throws(DBusError) {
    var inside = unsafe DBusMessageIter()
    let opened =
      if let contents {
        unsafe dbus_message_iter_open_container(&iterator, code, contents, &inside)
      } else {
        unsafe dbus_message_iter_open_container(&iterator, code, nil, &inside)
      }
    guard opened != 0 else { throw WireMessage.outOfMemory }
    do throws(DBusError) {
      try unsafe appendContents(&inside)
    } catch {
      unsafe dbus_message_iter_abandon_container(&iterator, &inside)
      throw error
    }
    guard unsafe dbus_message_iter_close_container(&iterator, &inside) != 0 else { throw WireMessage.outOfMemory }
  }
}
