import CDBus
import Glibc

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

extension Value {
  /// Decodes the values from the iterator's position to its end; `budget` is the number of values that there may be yet, those
  /// in containers included.
  static func decodeRow(
    _ iterator: inout DBusMessageIter, depth: Int, budget: inout Int
  ) throws(DBusError) -> [Value] {
    var values: [Value] = []
    while unsafe dbus_message_iter_get_arg_type(&iterator) != TypeCode.invalid {
      values.append(try unsafe decode(&iterator, depth: depth, budget: &budget))
      _ = unsafe dbus_message_iter_next(&iterator)
    }
    return values
  }

  private static func decode(
    _ iterator: inout DBusMessageIter, depth: Int, budget: inout Int
  ) throws(DBusError) -> Value {
    budget -= 1
    guard budget >= 0 else { throw DBusError(.tooLarge, "a message has too many values") }
    switch unsafe dbus_message_iter_get_arg_type(&iterator) {
    case TypeCode.byte: return .byte(unsafe basic(&iterator, UInt8(0)))
    case TypeCode.boolean: return .boolean(unsafe basic(&iterator, dbus_bool_t(0)) != 0)
    case TypeCode.int16: return .int16(unsafe basic(&iterator, Int16(0)))
    case TypeCode.uint16: return .uint16(unsafe basic(&iterator, UInt16(0)))
    case TypeCode.int32: return .int32(unsafe basic(&iterator, Int32(0)))
    case TypeCode.uint32: return .uint32(unsafe basic(&iterator, UInt32(0)))
    case TypeCode.int64: return .int64(unsafe basic(&iterator, Int64(0)))
    case TypeCode.uint64: return .uint64(unsafe basic(&iterator, UInt64(0)))
    case TypeCode.double: return .double(unsafe basic(&iterator, Double(0)))
    case TypeCode.string: return .string(unsafe text(&iterator))
    case TypeCode.objectPath: return .objectPath(ObjectPath(trusted: unsafe text(&iterator)))
    case TypeCode.signature: return .signature(Signature(trusted: unsafe text(&iterator)))
    case TypeCode.descriptor: return .descriptor(try unsafe descriptor(&iterator))
    case TypeCode.array: return try unsafe array(&iterator, depth: depth, budget: &budget)
    case TypeCode.structure:
      var inside = try unsafe enter(&iterator, depth: depth)
      return .structure(try unsafe decodeRow(&inside, depth: depth + 1, budget: &budget))
    case TypeCode.variant:
      var inside = try unsafe enter(&iterator, depth: depth)
      return .variant(try unsafe decode(&inside, depth: depth + 1, budget: &budget))
    default:
      // libdbus validates what it receives: this is a type that it knows and this code does not.
      throw DBusError(.unsupported, "a message holds a type that is not known")
    }
  }

  private static func array(
    _ iterator: inout DBusMessageIter, depth: Int, budget: inout Int
  ) throws(DBusError) -> Value {
    let elementCode = unsafe dbus_message_iter_get_element_type(&iterator)
    var inside = try unsafe enter(&iterator, depth: depth)
    switch elementCode {
    case TypeCode.byte:
      var pointer: UnsafePointer<UInt8>?
      var count: Int32 = 0
      unsafe dbus_message_iter_get_fixed_array(&inside, &pointer, &count)
      return .bytes(unsafe Array(UnsafeBufferPointer(start: pointer, count: Int(count))))
    case TypeCode.dictionaryEntry:
      // "a{", the entry's types, "}"
      let entrySignature = Signature(
        trusted: String(decoding: unsafe signature(&iterator).utf8.dropFirst(2).dropLast(), as: UTF8.self))
      var entries: [DictionaryValue.Entry] = []
      while unsafe dbus_message_iter_get_arg_type(&inside) != TypeCode.invalid {
        var entry = try unsafe enter(&inside, depth: depth + 1)
        let key = try unsafe decode(&entry, depth: depth + 2, budget: &budget)
        _ = unsafe dbus_message_iter_next(&entry)
        entries.append(
          DictionaryValue.Entry(key: key, value: try unsafe decode(&entry, depth: depth + 2, budget: &budget)))
        _ = unsafe dbus_message_iter_next(&inside)
      }
      return .dictionary(DictionaryValue(trusted: entrySignature, entries: entries))
    default:
      let type = Signature(trusted: String(unsafe signature(&iterator).dropFirst()))
      return .array(try unsafe decodeRow(&inside, depth: depth + 1, budget: &budget), of: type)
    }
  }

  /// libdbus allows no deeper nesting either; this check bounds the recursion in any case.
  private static func enter(_ iterator: inout DBusMessageIter, depth: Int) throws(DBusError) -> DBusMessageIter {
    guard depth <= BodyCheck.maximumDepth else {
      throw DBusError(.nestedTooDeeply, "a value stands in at most \(BodyCheck.maximumDepth) containers")
    }
    var inside = unsafe DBusMessageIter()
    unsafe dbus_message_iter_recurse(&iterator, &inside)
    return unsafe inside
  }

  private static func basic<Number: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ zero: Number) -> Number {
    var value = zero
    unsafe dbus_message_iter_get_basic(&iterator, &value)
    return value
  }

  private static func text(_ iterator: inout DBusMessageIter) -> String {
    var pointer: UnsafePointer<CChar>?
    unsafe dbus_message_iter_get_basic(&iterator, &pointer)
    return unsafe pointer.map { unsafe String(cString: $0) } ?? ""
  }

  private static func descriptor(_ iterator: inout DBusMessageIter) throws(DBusError) -> SharedDescriptor {
    // The caller owns the copy; the message closes its own.
    let number = unsafe basic(&iterator, Int32(-1))
    guard number >= 0 else { throw .lastSystemError("taking a passed descriptor") }
    return SharedDescriptor(FileDescriptor(owning: number))
  }

  private static func signature(_ iterator: inout DBusMessageIter) -> String {
    guard let pointer = unsafe dbus_message_iter_get_signature(&iterator) else { return "" }
    defer { unsafe dbus_free(pointer) }
    return unsafe String(cString: pointer)
  }
}
