internal import CDBus

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
