import DBus
import FoundationEssentials
import HealthModel

/// An `a{sv}` whose keys are taken out one by one, so that what is left is known not to be understood.
struct Arguments {
  private var values: [String: Value]

  /// - Throws: ``ArgumentError/invalid(_:)`` where `value` is no `a{sv}`; `key` says where it stood.
  init(_ value: Value, at key: String) throws(ArgumentError) {
    guard let values = value.properties else { throw .invalid(key) }
    self.values = values
  }

  init(_ values: [String: Value]) {
    self.values = values
  }

  /// The value of a key; nil where it is absent.
  mutating func take(_ key: String) -> Value? {
    values.removeValue(forKey: key)
  }

  /// What `read` makes of the value of a key; nil where it is absent.
  ///
  /// - Throws: ``ArgumentError/invalid(_:)`` where `read` makes nothing of it.
  mutating func take<Result>(_ key: String, _ read: (Value) -> Result?) throws(ArgumentError) -> Result? {
    guard let value = take(key) else { return nil }
    guard let result = read(value) else { throw .invalid(key) }
    return result
  }

  mutating func text(_ key: String) throws(ArgumentError) -> String? { try take(key) { $0.string } }
  mutating func texts(_ key: String) throws(ArgumentError) -> [String]? { try take(key) { $0.strings } }
  mutating func flag(_ key: String) throws(ArgumentError) -> Bool? { try take(key) { $0.boolean } }
  mutating func real(_ key: String) throws(ArgumentError) -> Double? { try take(key) { $0.double } }
  mutating func integer(_ key: String) throws(ArgumentError) -> Int64? { try take(key) { $0.integer.map(Int64.init) } }
  mutating func identifier(_ key: String) throws(ArgumentError) -> UUID? {
    try take(key) { $0.string.flatMap { UUID(uuidString: $0) } }
  }
  /// A moment, in microseconds since 1970.
  mutating func moment(_ key: String) throws(ArgumentError) -> Timestamp? {
    try integer(key).map { Timestamp(microseconds: $0) }
  }

  /// - Throws: ``ArgumentError/unknownKey`` where a key is left.
  func finish() throws(ArgumentError) {
    guard values.isEmpty else { throw .unknownKey }
  }
}

extension Optional {
  /// The value of a key that has to be there.
  ///
  /// - Throws: ``ArgumentError/missing(_:)`` where it is not.
  func required(_ key: String) throws(ArgumentError) -> Wrapped {
    guard let value = self else { throw .missing(key) }
    return value
  }
}
