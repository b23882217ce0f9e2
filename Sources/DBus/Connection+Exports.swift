/// The handler for calls to an object.
struct ExportedObject {
  var includesSubtree: Bool
  var handler: @Sendable (Message) -> Reply
}

extension Connection {
  /// Handles calls to an object, on the loop's thread, in the order of arrival.
  ///
  /// Calls to other objects are refused (`UnknownObject`). libdbus itself answers `org.freedesktop.DBus.Peer`.
  ///
  /// - Parameters:
  ///   - path: The object. A previous handler of the same path is replaced.
  ///   - subtree: Whether the handler also handles all objects below that have no handler of their own.
  ///   - handler: Gets the call, and returns the answer or ``Reply/later``.
  public func export(
    _ path: ObjectPath, subtree: Bool = false, handler: @escaping @Sendable (Message) -> Reply
  ) {
    exports[path] = ExportedObject(includesSubtree: subtree, handler: handler)
  }

  /// Removes the handler of an object.
  public func unexport(_ path: ObjectPath) {
    exports[path] = nil
  }

  /// Answers a call for which the handler of its object returned ``Reply/later``.
  ///
  /// An answer that cannot be sent becomes an error, so that no caller waits for ever. Does nothing where the caller wants none.
  public func respond(to call: Message, _ reply: Reply) {
    guard !call.noReply else { return }
    let answer: Message
    switch reply {
    case .later: return
    case .values(let values): answer = call.reply(values)
    case .error(let name, let message): answer = call.errorReply(name, message)
    case .unknownMethod:
      answer = call.errorReply(
        "org.freedesktop.DBus.Error.UnknownMethod",
        "Method \"\(call.member ?? "")\" with interface \"\(call.interface ?? "")\" doesn't exist")
    }
    do throws(DBusError) {
      try send(answer)
    } catch {
      // The answer itself was invalid; or the connection is lost, and this fails too.
      _ = try? send(call.errorReply("org.freedesktop.DBus.Error.Failed", error.message))
    }
  }

  func answer(_ call: Message, bodyError: DBusError?) {
    if let bodyError {
      respond(to: call, .error(name: "org.freedesktop.DBus.Error.LimitsExceeded", message: bodyError.message))
    } else if let path = call.path, let object = exportedObject(at: path) {
      respond(to: call, object.handler(call))
    } else {
      respond(
        to: call,
        .error(
          name: "org.freedesktop.DBus.Error.UnknownObject",
          message: "Method \"\(call.member ?? "")\" on an object that doesn't exist"))
    }
  }

  private func exportedObject(at path: ObjectPath) -> ExportedObject? {
    if let object = exports[path] { return object }
    var ancestor = path.parent
    while let path = ancestor {
      if let object = exports[path], object.includesSubtree { return object }
      ancestor = path.parent
    }
    return nil
  }
}
