/// Why a unit cannot be used.
@nonexhaustive
public enum UnitError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text does not follow the grammar of ``Unit``; `at` counts bytes from 0.
  case unreadable(String, at: Int)
  /// No unit has this symbol.
  case unknownSymbol(String)
  /// One cannot be converted to the other, because their dimensions differ.
  case incompatible(String, String)
  /// The unit is from a file and unknown to this program.
  case unknownUnit(String)

  /// One line for a person.
  public var description: String {
    switch self {
    case .unreadable(let symbol, let position): "'\(symbol)' is no unit: byte \(position) is not understood"
    case .unknownSymbol(let symbol): "there is no unit '\(symbol)'"
    case .incompatible(let one, let other): "\(one) cannot be converted to \(other): they measure different things"
    case .unknownUnit(let symbol): "the unit '\(symbol)' is not known to this program"
    }
  }
}
