package import DBus
package import HealthModel

extension MetadataValue {
  /// As it stands on the bus: `s`, `x`, `d`, `b`, a time as `(x)` in microseconds since 1970, a quantity as `(ds)` with its unit.
  package var value: Value {
    switch self {
    case .text(let text): .string(text)
    case .integer(let integer): .int64(integer)
    case .real(let real): .double(real)
    case .flag(let flag): .boolean(flag)
    case .time(let time): .structure([.int64(time.microseconds)])
    case .quantity(let quantity): .structure([.double(quantity.value), .string(quantity.unit.symbol)])
    }
  }

  /// Nil for what can be none: another type, a number that is not finite, a unit that is not known. Integers may be of any type.
  package init?(_ value: Value) {
    switch value.unwrapped {
    case .string(let text): self = .text(text)
    case .boolean(let flag): self = .flag(flag)
    case .double(let real):
      guard real.isFinite else { return nil }
      self = .real(real)
    case .structure(let fields):
      if fields.count == 1, let time = fields[0].int64 {
        self = .time(Timestamp(microseconds: time))
      } else if fields.count == 2, let number = fields[0].double, number.isFinite,
        let unit = fields[1].string.flatMap({ Unit($0) })
      {
        self = .quantity(Quantity(number, unit))
      } else {
        return nil
      }
    default:
      guard let integer = value.integer else { return nil }
      self = .integer(Int64(integer))
    }
  }
}

extension Metadata {
  /// As an `a{sv}`.
  package var value: DBus.Value {
    .properties(mapValues(\.value))
  }

  /// - Throws: ``ArgumentError/invalid(_:)`` for a value that can be none.
  package init(_ value: DBus.Value) throws(ArgumentError) {
    guard let properties = value.properties else { throw .invalid("metadata") }
    self = [:]
    for (key, value) in properties {
      guard let value = MetadataValue(value) else { throw .invalid("metadata") }
      self[key] = value
    }
  }
}

extension Device {
  private static let fields: [(key: String, path: any WritableKeyPath<Device, String?> & Sendable)] = [
    ("name", \.name), ("manufacturer", \.manufacturer), ("model", \.model), ("hardware", \.hardwareVersion),
    ("firmware", \.firmwareVersion), ("software", \.softwareVersion), ("identifier", \.localIdentifier),
    ("udi", \.uniqueDeviceIdentifier),
  ]

  /// As an `a{sv}` of texts; what is not known is left out.
  package var value: Value {
    var values: [String: Value] = [:]
    for field in Self.fields { values[field.key] = self[keyPath: field.path].map { .string($0) } }
    return .properties(values)
  }

  /// - Throws: ``ArgumentError``.
  package init(_ value: Value) throws(ArgumentError) {
    var arguments = try Arguments(value, at: "device")
    self.init()
    for field in Self.fields { self[keyPath: field.path] = try arguments.text(field.key) }
    try arguments.finish()
  }
}
