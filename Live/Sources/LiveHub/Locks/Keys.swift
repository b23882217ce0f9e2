import Support

/// A key that lets somebody in.
enum Key: Hashable {
  /// A person's cookie.
  case visitor
  /// A program's token, by its name.
  case token(String)

  /// The name under which the recorder's owner decides which recordings the key may read.
  var application: String {
    switch self {
    case .visitor: "org.sensord.Live"
    case .token(let name): "org.sensord.Live.\(name)"
    }
  }
}

/// The programs that may read without a person: names, and the prints of their tokens.
///
/// The text of the list has a line for each program: the name, a space, and 64 digits that are not the token.
struct TokenList: Sendable {
  /// The reason for which a list cannot be read or changed.
  enum Failure: Error, Hashable, Sendable {
    /// A name has 1 to 40 of the ASCII letters, digits, `.`, `_` and `-`.
    case invalidName
    /// There is a token of this name already.
    case exists
    /// There is no token of this name.
    case unknown
    /// The list has ``capacity`` tokens already.
    case full
    /// A line of the text is not a token's; its number, from 1.
    case damaged(line: Int)
  }

  /// The greatest number of tokens.
  static let capacity = 64

  /// The bytes of the longest name.
  static let longestName = 40

  /// Whether a token may have this name.
  static func isName(_ name: String) -> Bool {
    (1...longestName).contains(name.utf8.count) && name.utf8.allSatisfy(isAllowed)
  }

  private var tokens: [(name: String, print: SecretPrint)] = []

  /// An empty list.
  init() {}

  /// Reads the text of a list.
  init(_ text: String) throws(Failure) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: true).enumerated() {
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      guard words.count == 2, let print = SecretPrint(digits: words[1]) else { throw .damaged(line: index + 1) }
      do throws(Failure) {
        try add(words[0], print)
      } catch {
        throw .damaged(line: index + 1)
      }
    }
  }

  var text: String { tokens.map { "\($0.name) \($0.print.digits)\n" }.joined() }

  var names: [String] { tokens.map(\.name) }

  /// Adds a program.
  mutating func add(_ name: String, _ print: SecretPrint) throws(Failure) {
    guard Self.isName(name) else { throw .invalidName }
    guard !tokens.contains(where: { $0.name == name }) else { throw .exists }
    guard tokens.count < Self.capacity else { throw .full }
    tokens.append((name, print))
  }

  /// Removes a program's token.
  mutating func revoke(_ name: String) throws(Failure) {
    guard let index = tokens.firstIndex(where: { $0.name == name }) else { throw .unknown }
    tokens.remove(at: index)
  }

  /// The name of the program with this token; nil without one. The work is the same in both cases.
  func owner(of print: SecretPrint) -> String? {
    var owner: String?
    for token in tokens where token.print.matches(print) { owner = token.name }
    return owner
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

/// The browsers of people who were let in: by a link that works once, then by a cookie. A state machine without a clock of its own:
/// `now` is a parameter and never goes back.
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
    Self.add(Pass(print: secret.print, end: now + Self.linkLife), to: &links)
    return secret
  }

  /// Exchanges the secret of a link, which is used up, for that of a cookie; nil where the link is unknown, was used, or is too old.
  mutating func enter(with text: String, at now: Duration) -> Secret? {
    let print = SecretPrint(of: text)
    guard let index = links.firstIndex(where: { $0.print.matches(print) }) else { return nil }
    guard links.remove(at: index).end > now else { return nil }
    let secret = Secret()
    Self.add(Pass(print: secret.print, end: now + Self.cookieLife), to: &cookies)
    return secret
  }

  /// Whether a cookie lets in.
  func knows(_ text: String, at now: Duration) -> Bool {
    let print = SecretPrint(of: text)
    return cookies.contains { $0.print.matches(print) && $0.end > now }
  }

  private static func add(_ pass: Pass, to passes: inout [Pass]) {
    if passes.count == capacity { passes.removeFirst() }
    passes.append(pass)
  }
}

/// A random text that opens a door: 256 bits as 64 hexadecimal digits.
struct Secret: Sendable {
  let text: String

  /// A new secret.
  init() {
    var generator = SystemRandomNumberGenerator()
    text = Hexadecimal.text((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  /// The print, which is stored in place of the secret.
  var print: SecretPrint { SecretPrint(of: text) }
}

/// The print of a secret: enough to recognize the secret, too little to recover it.
struct SecretPrint: Sendable {
  private let bytes: [UInt8]

  /// The print of a text that somebody presents as a secret.
  init(of text: String) {
    var hash = SHA256()
    hash.add(Array(text.utf8)[...])
    bytes = hash.digest()
  }

  /// Reads 64 digits in lower case; nil for another text.
  init?(digits: String) {
    guard let bytes = Hexadecimal.bytes(digits), bytes.count == 32, Hexadecimal.text(bytes) == digits
    else { return nil }
    self.bytes = bytes
  }

  var digits: String { Hexadecimal.text(bytes) }

  /// Compares all bytes whatever they are, so that the time reveals nothing.
  func matches(_ other: SecretPrint) -> Bool {
    var difference: UInt8 = 0
    for (a, b) in zip(bytes, other.bytes) { difference |= a ^ b }
    return difference == 0
  }
}
