package import HealthModel

extension MetadataValue {
  /// An object of one member, which names the kind, as everywhere in JSON: `{"text":"left arm"}`. A time is in microseconds
  /// since 1970, a quantity has `value` and `unit`.
  package var tagged: JSONValue {
    switch self {
    case .text(let text): ["text": .string(text)]
    case .integer(let integer): ["integer": .integer(integer)]
    case .real(let real): ["real": .number(real)]
    case .flag(let flag): ["flag": .bool(flag)]
    case .time(let time): ["time": .integer(time.microseconds)]
    case .quantity(let quantity):
      ["quantity": ["value": .number(quantity.value), "unit": .string(quantity.unit.symbol)]]
    }
  }

  /// The value alone, as reports of one recording have it; a time is ISO 8601.
  package var plain: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .integer(let integer): .integer(integer)
    case .real(let real): .number(real)
    case .flag(let flag): .bool(flag)
    case .time(let time): .string(time.iso8601())
    case .quantity(let quantity): ["value": .number(quantity.value), "unit": .string(quantity.unit.symbol)]
    }
  }
}
