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
