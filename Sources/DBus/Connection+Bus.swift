extension Message {
  /// A call of the bus itself.
  static func bus(_ member: String, _ body: [Value] = []) -> Message {
    .call(
      "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: member,
      body: body)
  }
}

extension Connection {
  /// Subscribes to the messages that `rule` describes; observers see them from the return of this call on.
  ///
  /// The bus counts subscriptions: a rule that was added twice has to be removed twice.
  /// - Throws: As ``call(_:timeout:)``.
  public func addMatch(_ rule: MatchRule) async throws(DBusError) {
    _ = try await call(.bus("AddMatch", [.string(rule.text)]))
  }

  /// Ends one subscription by ``addMatch(_:)``.
  ///
  /// - Throws: As ``call(_:timeout:)``.
  public func removeMatch(_ rule: MatchRule) async throws(DBusError) {
    _ = try await call(.bus("RemoveMatch", [.string(rule.text)]))
  }

  /// Asks for a well-known name, `org.bluez` for example, without queueing for it.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - replaceExisting: Replace the present owner, if that one allows it.
  /// - Returns: Whether this connection owns it now.
  /// - Throws: As ``call(_:timeout:)``; the bus's policy may forbid the name (``DBusError/isAccessDenied``).
  public func requestName(_ name: String, replaceExisting: Bool = false) async throws(DBusError) -> Bool {
    let doNotQueue: UInt32 = 4
    let flags: UInt32 = doNotQueue | (replaceExisting ? 2 : 0)
    let reply = try await call(.bus("RequestName", [.string(name), .uint32(flags)]))
    // 1: owner now; 4: owner already.
    return reply.body.first?.uint32 == 1 || reply.body.first?.uint32 == 4
  }

  /// Releases a name; does nothing if this connection does not own it.
  ///
  /// - Throws: As ``call(_:timeout:)``.
  public func releaseName(_ name: String) async throws(DBusError) {
    _ = try await call(.bus("ReleaseName", [.string(name)]))
  }

  /// Whether another process than this one owns a name, over whichever connection.
  ///
  /// The bus is asked for both processes, since it may number them otherwise than this one does (in a container).
  ///
  /// - Throws: As ``call(_:timeout:)``, also where the owner has gone meanwhile.
  public func isOwnedByOtherProcess(_ name: String) async throws(DBusError) -> Bool {
    guard let owner = try await nameOwner(of: name) else { return false }
    let theirs = try await call(.bus("GetConnectionUnixProcessID", [.string(owner)])).body.first?.uint32
    let ours = try await call(.bus("GetConnectionUnixProcessID", [.string(uniqueName)])).body.first?.uint32
    return theirs != ours
  }

  /// The owner of a name.
  ///
  /// - Parameter name: A well-known name.
  /// - Returns: The unique name of the connection; nil where nobody owns it.
  /// - Throws: As ``call(_:timeout:)``.
  public func nameOwner(of name: String) async throws(DBusError) -> String? {
    do throws(DBusError) {
      return try await call(.bus("GetNameOwner", [.string(name)])).body.first?.string
    } catch {
      if error.name == "org.freedesktop.DBus.Error.NameHasNoOwner" { return nil }
      throw error
    }
  }
}
