/// Further information about an object: keys with values of a few plain kinds.
public typealias Metadata = [String: MetadataValue]

/// A value in ``Metadata``. A later version may have more kinds of value.
@nonexhaustive
public enum MetadataValue: Hashable, Sendable {
  case text(String)
  case integer(Int64)
  /// A finite number. Other numbers are not stored, because they could not be read back.
  case real(Double)
  case flag(Bool)
  case time(Timestamp)
  case quantity(Quantity)
}

extension MetadataValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral
{
  /// A text.
  public init(stringLiteral text: String) { self = .text(text) }
  /// A whole number.
  public init(integerLiteral integer: Int64) { self = .integer(integer) }
  /// A real number.
  public init(floatLiteral real: Double) { self = .real(real) }
  /// A flag.
  public init(booleanLiteral flag: Bool) { self = .flag(flag) }
}
