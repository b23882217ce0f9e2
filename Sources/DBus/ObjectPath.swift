/// The name of an object: `/` or elements of letters, digits and underscores, each after a slash.
///
/// Source: D-Bus Specification, "Valid Object Paths".
public struct ObjectPath: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  public let text: String

  /// Nil where `text` is not a valid object path.
  public init?(_ text: String) {
    guard Self.isValid(text) else { return nil }
    self.text = text
  }

  /// For paths written in the source; an invalid one is a programming error and ends the program.
  public init(stringLiteral text: StaticString) {
    let text = text.description
    precondition(Self.isValid(text), "not an object path")
    self.text = text
  }

  /// For text that libdbus has validated.
  init(trusted text: String) {
    self.text = text
  }

  public static let root = ObjectPath(trusted: "/")

  /// The path without its last element; nil for the root.
  public var parent: ObjectPath? {
    guard text.utf8.count > 1, let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return slash == text.startIndex ? .root : ObjectPath(trusted: String(text[..<slash]))
  }

  /// The last element; empty for the root.
  public var lastElement: Substring {
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text[...] }
    return text[text.utf8.index(after: slash)...]
  }

  /// Whether this path lies below `ancestor`; a path does not lie below itself.
  public func isDescendant(of ancestor: ObjectPath) -> Bool {
    if ancestor == .root { return self != .root }
    let own = text.utf8
    let length = ancestor.text.utf8.count
    return own.count > length && own.starts(with: ancestor.text.utf8)
      && own[own.index(own.startIndex, offsetBy: length)] == UInt8(ascii: "/")
  }

  /// The path with one more element; nil where `element` is empty or holds other than letters, digits, underscores.
  public func appending(_ element: String) -> ObjectPath? {
    ObjectPath(self == .root ? "/\(element)" : "\(text)/\(element)")
  }

  public var description: String { text }

  public static func < (first: ObjectPath, second: ObjectPath) -> Bool { first.text < second.text }

  private static func isValid(_ text: String) -> Bool {
    var previous: UInt8?
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "/"):
        if previous == UInt8(ascii: "/") { return false }
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        if previous == nil { return false }
      default:
        return false
      }
      previous = byte
    }
    guard let previous else { return false }
    return previous != UInt8(ascii: "/") || text.utf8.count == 1
  }
}
