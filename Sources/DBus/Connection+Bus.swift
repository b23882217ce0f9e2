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

/// Selects the broadcast messages that the bus sends to a connection.
///
/// Source: D-Bus Specification, "Match Rules".
public struct MatchRule: Hashable, Sendable {
  public var kind: Message.Kind?
  public var sender: String?
  public var interface: String?
  public var member: String?
  public var path: ObjectPath?
  /// An object and everything below it; not together with `path`.
  public var pathNamespace: ObjectPath?
  /// The required first argument, a string.
  public var firstArgument: String?

  public init(
    kind: Message.Kind? = .signal, sender: String? = nil, interface: String? = nil, member: String? = nil,
    path: ObjectPath? = nil, pathNamespace: ObjectPath? = nil, firstArgument: String? = nil
  ) {
    self.kind = kind
    self.sender = sender
    self.interface = interface
    self.member = member
    self.path = path
    self.pathNamespace = pathNamespace
    self.firstArgument = firstArgument
  }

  /// The rule as the bus reads it.
  public var text: String {
    var parts: [String] = []
    switch kind {
    case .methodCall: parts.append("type='method_call'")
    case .methodReturn: parts.append("type='method_return'")
    case .error: parts.append("type='error'")
    case .signal: parts.append("type='signal'")
    case nil: break
    }
    func add(_ key: String, _ value: String?) {
      guard let value else { return }
      // Inside apostrophes no character is special, so an apostrophe is put between them, escaped.
      parts.append(
        "\(key)='\(value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'")
    }
    add("sender", sender)
    add("interface", interface)
    add("member", member)
    add("path", path?.text)
    add("path_namespace", pathNamespace?.text)
    add("arg0", firstArgument)
    return parts.joined(separator: ",")
  }
}

/// The user and the groups of a connection of the bus, as the bus vouches for them.
///
/// Source: D-Bus Specification, "org.freedesktop.DBus.GetConnectionCredentials".
public struct CallerCredentials: Hashable, Sendable {
  public var uid: UInt32
  /// The groups that the process had when it connected; empty where the bus does not report them.
  public var groups: [UInt32]

  public init(uid: UInt32, groups: [UInt32] = []) {
    self.uid = uid
    self.groups = groups
  }

  /// Nil where the answer holds no user.
  init?(_ answer: Message) {
    guard let properties = answer.body.first?.properties, case .uint32(let uid)? = properties["UnixUserID"] else {
      return nil
    }
    self.init(uid: uid, groups: properties["UnixGroupIDs"]?.array?.compactMap(\.uint32) ?? [])
  }
}

extension Connection {
  /// Follows another connection of the bus: asks for its credentials, and has the bus report its end
  /// (``Message/goneName``).
  ///
  /// The subscription to its end goes to the bus before the question, so that no end is missed.
  ///
  /// - Parameters:
  ///   - name: Its unique name.
  ///   - known: Called once on the loop's thread, in order with other messages; nil where it has gone already.
  public func follow(_ name: String, known: @escaping @Sendable (CallerCredentials?) -> Void) {
    var match = Message.bus("AddMatch", [.string(MatchRule.owner(of: name).text)])
    match.noReply = true
    _ = try? send(match)
    call(.bus("GetConnectionCredentials", [.string(name)])) { result in
      known((try? result.get()).flatMap { CallerCredentials($0) })
    }
  }

  /// Ends ``follow(_:known:)``.
  public func unfollow(_ name: String) {
    var match = Message.bus("RemoveMatch", [.string(MatchRule.owner(of: name).text)])
    match.noReply = true
    _ = try? send(match)
  }
}

extension MatchRule {
  /// The bus's signals about the owner of a name: the new one, or the end of the last one.
  public static func owner(of name: String) -> MatchRule {
    MatchRule(
      sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
      path: "/org/freedesktop/DBus", firstArgument: name)
  }
}

extension Message {
  /// The unique name of the connection whose end this signal reports; nil in any other.
  public var goneName: String? { ownerlessName.flatMap { $0.hasPrefix(":") ? $0 : nil } }

  /// The name that nobody owns any more, according to this signal of the bus; nil in any other.
  public var ownerlessName: String? { changedName.flatMap { body[2].string == "" ? $0 : nil } }

  /// The name whose owner changed or went, according to this signal of the bus; nil in any other.
  public var changedName: String? {
    guard isSignal("org.freedesktop.DBus", "NameOwnerChanged"), sender == "org.freedesktop.DBus", body.count == 3
    else { return nil }
    return body[0].string
  }
}
