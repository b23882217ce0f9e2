internal import CDBus

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
