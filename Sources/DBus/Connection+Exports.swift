/// Who answers the calls to an object.
struct ExportedObject {
  var includesSubtree: Bool
  var handler: @Sendable (Message) -> Reply
}

extension Connection {
  /// Answers calls to an object, on the loop's thread, in the order in which they came.
  ///
  /// Calls to objects that nobody exported are refused (`UnknownObject`), and libdbus itself answers `org.freedesktop.DBus.Peer`.
  ///
  /// - Parameters:
  ///   - path: The object. What was exported there before is replaced.
  ///   - subtree: Whether the handler also answers for everything below that has no handler of its own.
  ///   - handler: Gets the call, gives the answer or says that it comes later.
  public func export(
    _ path: ObjectPath, subtree: Bool = false, handler: @escaping @Sendable (Message) -> Reply
  ) {
    exports[path] = ExportedObject(includesSubtree: subtree, handler: handler)
  }

  /// Takes an object away.
  public func unexport(_ path: ObjectPath) {
    exports[path] = nil
  }

  func answer(_ call: Message, bodyError: DBusError?) {
    let answer: Message
    if let bodyError {
      answer = call.errorReply("org.freedesktop.DBus.Error.LimitsExceeded", bodyError.message)
    } else if let path = call.path, let object = exportedObject(at: path) {
      switch object.handler(call) {
      case .later: return
      case .values(let values): answer = call.reply(values)
      case .error(let name, let message): answer = call.errorReply(name, message)
      case .unknownMethod:
        answer = call.errorReply(
          "org.freedesktop.DBus.Error.UnknownMethod",
          "Method \"\(call.member ?? "")\" with interface \"\(call.interface ?? "")\" doesn't exist")
      }
    } else {
      answer = call.errorReply(
        "org.freedesktop.DBus.Error.UnknownObject", "Method \"\(call.member ?? "")\" on an object that doesn't exist")
    }
    guard !call.noReply else { return }
    do throws(DBusError) {
      try send(answer)
    } catch {
      // The answer itself is at fault (or the connection is gone, and then this fails too): the caller must not wait.
      _ = try? send(call.errorReply("org.freedesktop.DBus.Error.Failed", error.message))
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
