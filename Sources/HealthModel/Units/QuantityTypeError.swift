/// Why a program's own quantity type is not valid.
@nonexhaustive
public enum QuantityTypeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An identifier is 1 to 100 letters, digits, `.`, `_` and `-` of ASCII, the first a letter.
  case invalidIdentifier(String)
  /// This program does not know the unit.
  case unknownUnit(String)
  /// This program does not know the style.
  case unknownStyle(String)
  /// Versions of a style begin with 1.
  case invalidStyleVersion(Int)
  /// Another type has this identifier already.
  case alreadyRegistered(String)

  /// One line for a person.
  public var description: String {
    switch self {
    case .invalidIdentifier(let text):
      "'\(text)' names no type: use letters, digits, '.', '_' and '-', a letter first, 100 at most"
    case .unknownUnit(let symbol): "a type needs a unit that is known; '\(symbol)' is not"
    case .unknownStyle(let name): "a type needs a style that is known; '\(name)' is not"
    case .invalidStyleVersion(let version): "\(version) is no version of a style: they begin with 1"
    case .alreadyRegistered(let identifier): "another type is registered as '\(identifier)'"
    }
  }
}
