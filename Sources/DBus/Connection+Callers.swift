/// Who a connection of the bus is, as the bus vouches for it.
///
/// Source: D-Bus Specification, "org.freedesktop.DBus.GetConnectionCredentials".
public struct CallerCredentials: Hashable, Sendable {
  public var uid: UInt32
  /// The groups that the process had when it connected; empty where the bus does not tell.
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
  /// Follows another connection of the bus: asks who it is, and has the bus tell when it has gone (``Message/goneName``).
  ///
  /// The bus is told to tell before it is asked, so that no end is missed.
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
  /// The bus tells who owns a name now, or that nobody does.
  public static func owner(of name: String) -> MatchRule {
    MatchRule(
      sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
      path: "/org/freedesktop/DBus", firstArgument: name)
  }
}

extension Message {
  /// The unique name of the connection of whose end the bus tells with this signal; nil in any other.
  public var goneName: String? { ownerlessName.flatMap { $0.hasPrefix(":") ? $0 : nil } }

  /// The name that nobody owns any more, as the bus tells with this signal; nil in any other.
  public var ownerlessName: String? { changedName.flatMap { body[2].string == "" ? $0 : nil } }

  /// The name that has another owner now, or none, as the bus tells with this signal; nil in any other.
  public var changedName: String? {
    guard isSignal("org.freedesktop.DBus", "NameOwnerChanged"), sender == "org.freedesktop.DBus", body.count == 3
    else { return nil }
    return body[0].string
  }
}
