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

extension MetadataValue: Codable {
  private enum Kind: String, CodingKey { case text, integer, real, flag, time, quantity }

  /// One key, which names the kind, and the value: `{"text": "left arm"}`. A kind of a later version is an error.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Kind.self)
    guard container.allKeys.count == 1, let kind = container.allKeys.first else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "a value of metadata has one key, which names its kind"))
    }
    self =
      switch kind {
      case .text: .text(try container.decode(String.self, forKey: kind))
      case .integer: .integer(try container.decode(Int64.self, forKey: kind))
      case .real: .real(try container.decode(Double.self, forKey: kind))
      case .flag: .flag(try container.decode(Bool.self, forKey: kind))
      case .time: .time(try container.decode(Timestamp.self, forKey: kind))
      case .quantity: .quantity(try container.decode(Quantity.self, forKey: kind))
      }
  }

  /// One key, which names the kind, and the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Kind.self)
    switch self {
    case .text(let text): try container.encode(text, forKey: .text)
    case .integer(let integer): try container.encode(integer, forKey: .integer)
    case .real(let real): try container.encode(real, forKey: .real)
    case .flag(let flag): try container.encode(flag, forKey: .flag)
    case .time(let time): try container.encode(time, forKey: .time)
    case .quantity(let quantity): try container.encode(quantity, forKey: .quantity)
    }
  }
}
