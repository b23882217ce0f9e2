import CDBus

/// Owns one reference to a message of libdbus.
@safe struct WireMessage: ~Copyable {
  let pointer: OpaquePointer

  /// Takes ownership of the caller's reference.
  init(owning pointer: OpaquePointer) {
    unsafe self.pointer = unsafe pointer
  }

  deinit {
    unsafe dbus_message_unref(pointer)
  }

  var containsDescriptors: Bool { unsafe dbus_message_contains_unix_fds(pointer) != 0 }

  static let outOfMemory = DBusError(.tooLarge, "libdbus ran out of memory")
}

/// Whole messages as bytes, without a connection: for tests, fuzzing and captures of bus traffic.
extension Message {
  /// The message as it goes over the wire, in this machine's byte order.
  ///
  /// Descriptors are not part of the bytes, so a message with descriptors throws ``DBusError/Code/unsupported``.
  /// - Throws: As ``Connection/send(_:)``.
  public func marshalled() throws(DBusError) -> [UInt8] {
    let wire = try encode(serial: serial == 0 ? 1 : serial)
    guard unsafe dbus_message_contains_unix_fds(wire.pointer) == 0 else {
      throw DBusError(.unsupported, "descriptors cannot be marshalled into bytes")
    }
    var bytes: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    guard unsafe dbus_message_marshal(wire.pointer, &bytes, &count) != 0 else { throw WireMessage.outOfMemory }
    defer { unsafe dbus_free(bytes) }
    return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }

  /// Decodes one whole message, of either byte order, from arbitrary bytes.
  ///
  /// - Throws: ``DBusError/Code/invalid`` where the bytes are not a message, ``DBusError/Code/tooLarge``.
  public init(unmarshalling bytes: [UInt8]) throws(DBusError) {
    guard bytes.count <= Self.maximumBytes else {
      throw DBusError(.tooLarge, "a message has at most \(Self.maximumBytes) bytes")
    }
    let pointer = unsafe bytes.withUnsafeBytes { buffer in
      unsafe dbus_message_demarshal(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count), nil)
    }
    guard let pointer = unsafe pointer else { throw DBusError(.invalid, "the bytes are no D-Bus message") }
    let wire = unsafe WireMessage(owning: pointer)
    guard var message = unsafe Message(headerOf: wire.pointer) else {
      throw DBusError(.invalid, "the bytes are no D-Bus message")
    }
    try unsafe message.decodeBody(of: wire.pointer)
    self = message
  }
}
