internal import CDBus

/// A private libdbus connection on an event loop: it reads bytes and writes messages. Confined to the loop's thread.
///
/// libdbus only reads, writes and splits messages; replies, timeouts and objects are the task of ``Connection``.
@safe final class Transport {
  /// A received message; `bodyError` is set if the body could not be decoded and is empty.
  struct Incoming {
    var message: Message
    var bodyError: DBusError?
  }

  private let loop: EventLoop
  /// Nil once closed.
  private var connection: OpaquePointer?
  /// libdbus may have several watches for one descriptor, but epoll allows one registration; they share it.
  private var sockets: [Int32: SocketWatches] = [:]
  private var dispatchIsQueued = false
  private var incoming: Incoming?
  private let receive: (Incoming) -> Void

  @safe private struct Watch {
    let pointer: OpaquePointer

    var isEnabled: Bool { unsafe dbus_watch_get_enabled(pointer) != 0 }
    var flags: UInt32 { unsafe dbus_watch_get_flags(pointer) }
  }

  private struct SocketWatches {
    var watches: [Watch] = []
    var token: WatchToken?

    func contains(_ pointer: OpaquePointer?) -> Bool {
      watches.contains { unsafe $0.pointer == pointer }
    }
  }

  /// Connects to `address`. The other side has not answered yet when this returns.
  ///
  /// - Parameters:
  ///   - address: A D-Bus address.
  ///   - loop: The loop on whose thread this is called.
  ///   - receive: Gets every message in the order of the wire, one for each round of the loop.
  /// - Throws: ``DBusError/Code/cannotConnect(name:)``.
  init(address: String, loop: EventLoop, receive: @escaping (Incoming) -> Void) throws(DBusError) {
    loop.preconditionOnLoop()
    self.loop = loop
    self.receive = receive
    var error = unsafe CDBus.DBusError()
    unsafe dbus_error_init(&error)
    defer { unsafe dbus_error_free(&error) }
    guard !address.utf8.contains(0), let connection = unsafe dbus_connection_open_private(address, &error) else {
      let name = unsafe error.name.map { unsafe String(cString: $0) } ?? "org.freedesktop.DBus.Error.BadAddress"
      let text = unsafe error.message.map { unsafe String(cString: $0) } ?? "not an address"
      throw DBusError(.cannotConnect(name: name), text)
    }
    unsafe self.connection = unsafe connection
    unsafe dbus_connection_set_exit_on_disconnect(connection, 0)
    unsafe dbus_connection_set_max_message_size(connection, Message.maximumBytes)
    guard unsafe register(connection) else {
      close()
      throw DBusError(.cannotConnect(name: "org.freedesktop.DBus.Error.NoMemory"), "libdbus ran out of memory")
    }
  }

  deinit {
    close()
  }

  var isOpen: Bool { unsafe connection != nil }

  /// Whether descriptors can be passed; known once the bus has answered.
  var passesDescriptors: Bool {
    guard let connection = unsafe connection else { return false }
    return unsafe dbus_connection_can_send_type(connection, TypeCode.descriptor) != 0
  }

  /// The bytes that were sent here and that the socket has not accepted.
  var unsentBytes: Int {
    guard let connection = unsafe connection else { return 0 }
    return unsafe dbus_connection_get_outgoing_size(connection)
  }

  /// Queues a message, and writes at once the bytes that the socket accepts.
  func send(_ message: borrowing WireMessage) throws(DBusError) {
    guard let connection = unsafe connection else { throw .connectionClosed }
    guard unsafe dbus_connection_send(connection, message.pointer, nil) != 0 else { throw WireMessage.outOfMemory }
  }

  /// Closes the socket; nothing is received any more.
  func close() {
    guard let connection = unsafe connection else { return }
    unsafe self.connection = nil
    unsafe dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
    unsafe dbus_connection_remove_filter(connection, Self.filter, Unmanaged.passUnretained(self).toOpaque())
    unsafe dbus_connection_close(connection)
    // Removes the watches, by the functions that added them.
    _ = unsafe dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    unsafe dbus_connection_unref(connection)
  }

  private func register(_ connection: OpaquePointer) -> Bool {
    // Unretained: everything is unregistered in close(), at the latest when this object is destroyed.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe dbus_connection_set_dispatch_status_function(
      connection,
      { _, status, context in
        if status == DBUS_DISPATCH_DATA_REMAINS { unsafe Transport.from(context)?.queueDispatch() }
      }, context, nil)
    guard unsafe dbus_connection_add_filter(connection, Self.filter, context, nil) != 0 else { return false }
    return unsafe dbus_connection_set_watch_functions(
      connection,
      { watch, context in unsafe Transport.from(context)?.add(watch) ?? 0 },
      { watch, context in unsafe Transport.from(context)?.remove(watch) },
      { watch, context in unsafe Transport.from(context)?.toggled(watch) },
      context, nil) != 0
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> Transport? {
    unsafe context.map { unsafe Unmanaged<Transport>.fromOpaque($0).takeUnretainedValue() }
  }

  private static let filter: DBusHandleMessageFunction = { _, message, context in
    guard let message = unsafe message, let transport = unsafe Transport.from(context) else {
      return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
    }
    unsafe transport.keep(message)
    return DBUS_HANDLER_RESULT_HANDLED
  }

  /// Decodes the message that libdbus is dispatching. The message is delivered after libdbus has returned, so that the
  /// receiver may do anything, even close the connection.
  private func keep(_ pointer: OpaquePointer) {
    guard var message = unsafe Message(headerOf: pointer) else { return }
    do throws(DBusError) {
      try unsafe message.decodeBody(of: pointer)
      incoming = Incoming(message: message)
    } catch {
      incoming = Incoming(message: message, bodyError: error)
    }
  }

  private func queueDispatch() {
    guard !dispatchIsQueued else { return }
    dispatchIsQueued = true
    // When idle: the task that waited for the previous reply has run by then.
    loop.runWhenIdle { [weak self] in self?.dispatchOne() }
  }

  private func dispatchOne() {
    dispatchIsQueued = false
    guard let connection = unsafe connection else { return }
    let status = unsafe dbus_connection_dispatch(connection)
    if status == DBUS_DISPATCH_DATA_REMAINS { queueDispatch() }
    guard let message = incoming else { return }
    incoming = nil
    receive(message)
  }

  private func add(_ pointer: OpaquePointer?) -> dbus_bool_t {
    guard let pointer = unsafe pointer else { return 0 }
    let descriptor = unsafe dbus_watch_get_unix_fd(pointer)
    sockets[descriptor, default: SocketWatches()].watches.append(unsafe Watch(pointer: pointer))
    return update(descriptor) ? 1 : 0
  }

  private func remove(_ pointer: OpaquePointer?) {
    // libdbus may have forgotten the watch's descriptor by now.
    for (descriptor, socket) in sockets where unsafe socket.contains(pointer) {
      sockets[descriptor]?.watches.removeAll { unsafe $0.pointer == pointer }
      _ = update(descriptor)
    }
  }

  private func toggled(_ watch: OpaquePointer?) {
    guard let watch = unsafe watch else { return }
    _ = unsafe update(dbus_watch_get_unix_fd(watch))
  }

  /// Registers with epoll what all watches of a descriptor want together.
  private func update(_ descriptor: Int32) -> Bool {
    guard let socket = sockets[descriptor] else { return true }
    var wanted: Readiness = []
    for watch in socket.watches where watch.isEnabled {
      let flags = watch.flags
      if flags & DBUS_WATCH_READABLE.rawValue != 0 { wanted.insert(.readable) }
      if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { wanted.insert(.writable) }
    }
    do throws(DBusError) {
      switch (socket.token, wanted.isEmpty) {
      case (let token?, true):
        loop.cancel(token)
        sockets[descriptor]?.token = nil
      case (let token?, false):
        try loop.change(token, to: wanted)
      case (nil, false):
        let token = try loop.watch(descriptor, for: wanted) { [weak self] in self?.ready(descriptor, $0) }
        sockets[descriptor]?.token = token
      case (nil, true):
        break
      }
      if sockets[descriptor]?.watches.isEmpty == true { sockets[descriptor] = nil }
      return true
    } catch {
      return false
    }
  }

  private func ready(_ descriptor: Int32, _ readiness: Readiness) {
    var flags: UInt32 = 0
    if readiness.contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
    if readiness.contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
    if readiness.contains(.error) { flags |= DBUS_WATCH_ERROR.rawValue }
    if readiness.contains(.hangUp) { flags |= DBUS_WATCH_HANGUP.rawValue }
    let always = DBUS_WATCH_ERROR.rawValue | DBUS_WATCH_HANGUP.rawValue
    for watch in sockets[descriptor]?.watches ?? [] {
      // The handler before may have removed this watch, or the whole connection.
      guard unsafe sockets[descriptor]?.contains(watch.pointer) == true else { continue }
      let own = flags & (watch.flags | always)
      if own != 0, watch.isEnabled { _ = unsafe dbus_watch_handle(watch.pointer, own) }
    }
    if let connection = unsafe connection,
      unsafe dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS
    {
      queueDispatch()
    }
  }
}

extension DBusError {
  static let connectionClosed = DBusError(.disconnected, "the connection to the bus is closed")
}
