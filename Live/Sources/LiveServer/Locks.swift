internal import LiveLocks

/// Who may read. Confined to the hub's loop.
final class Locks {
  static let cookieName = "sensord-live"

  var visitors = Visitors()
  var tokens: TokenList
  var hosts: HostRule

  init(hosts: HostRule, tokens: TokenList) {
    self.hosts = hosts
    self.tokens = tokens
  }

  /// The key of a request that fits, nil without one: a cookie, `Authorization: Bearer`, or the parameter `token` for what cannot send a header.
  func key(cookies: [String], authorizations: [String], parameter: String?, at now: Duration) -> Key? {
    let name = "\(Self.cookieName)="
    let pairs: [Substring] = cookies.joined(separator: ";").split(separator: ";").map { $0.drop { $0 == " " } }
    let keys = pairs.filter { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
    // More than one cookie of this name is nothing that a browser of ours sends.
    if keys.count == 1, visitors.knows(keys[0], at: now) { return .visitor }
    let scheme = "bearer "
    let bearer = authorizations.first { $0.lowercased().hasPrefix(scheme) }.map { String($0.dropFirst(scheme.count)) }
    for presented in [bearer, parameter] {
      if let owner = presented.flatMap({ tokens.owner(of: SecretPrint(of: $0)) }) { return .token(owner) }
    }
    return nil
  }
}

/// What lets somebody in.
enum Key: Hashable {
  /// A person's cookie.
  case visitor
  /// A program's token, by its name.
  case token(String)

  /// Under which name the recorder's owner decides what it may read of what was recorded.
  var application: String {
    switch self {
    case .visitor: "org.sensord.Live"
    case .token(let name): "org.sensord.Live.\(name)"
    }
  }
}
