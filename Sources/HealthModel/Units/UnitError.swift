/// What is wrong with a unit.
public enum UnitError: Error, Hashable, Sendable {
  /// The text is no unit in the grammar of ``Unit``; `at` counts bytes from 0.
  case unreadable(String, at: Int)
  /// No unit has this symbol.
  case unknownSymbol(String)
  /// One cannot be converted to the other: they measure different things.
  case incompatible(String, String)
}
