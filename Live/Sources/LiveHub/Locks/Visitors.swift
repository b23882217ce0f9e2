/// The browsers of people who were let in: by a link that works once, then by a cookie. A machine without a clock; times never go
/// back.
struct Visitors: Sendable {
  /// The time for which a link works.
  static let linkLife: Duration = .seconds(120)
  /// The time for which a cookie lets in.
  static let cookieLife: Duration = .seconds(30 * 86_400)
  /// The greatest number of links, and of cookies, at a time; with more the oldest goes.
  static let capacity = 32

  private struct Pass: Sendable {
    var print: SecretPrint
    var end: Duration
  }

  private var links: [Pass] = []
  private var cookies: [Pass] = []

  /// A new link's secret.
  mutating func invite(at now: Duration) -> Secret {
    let secret = Secret()
    Self.keep(Pass(print: secret.print, end: now + Self.linkLife), in: &links)
    return secret
  }

  /// Exchanges the secret of a link, which is used up, for that of a cookie; nil where the link is unknown, was used, or is too old.
  mutating func enter(with text: String, at now: Duration) -> Secret? {
    let print = SecretPrint(of: text)
    guard let index = links.firstIndex(where: { $0.print.matches(print) }) else { return nil }
    guard links.remove(at: index).end > now else { return nil }
    let secret = Secret()
    Self.keep(Pass(print: secret.print, end: now + Self.cookieLife), in: &cookies)
    return secret
  }

  /// Whether a cookie lets in.
  func knows(_ text: String, at now: Duration) -> Bool {
    let print = SecretPrint(of: text)
    return cookies.contains { $0.print.matches(print) && $0.end > now }
  }

  private static func keep(_ pass: Pass, in passes: inout [Pass]) {
    if passes.count == capacity { passes.removeFirst() }
    passes.append(pass)
  }
}
