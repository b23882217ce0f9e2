import DBus
import FoundationEssentials
import HealthModel

/// An `a{sv}` whose keys are taken out one by one, so that what is left is known not to be understood.
struct Arguments {
  private var values: [String: Value]

  /// - Throws: ``ArgumentError/invalid(_:)`` where `value` is no `a{sv}`; `key` is the place of the value.
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

  /// Removes a key and returns what `read` makes of its value; nil if the key is absent.
  ///
  /// - Throws: ``ArgumentError/invalid(_:)`` if `read` returns nil.
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

/// The reason why arguments of a call cannot be used. An error names keys of the interfaces, never text that the caller
/// sent.
package enum ArgumentError: Error, Hashable, Sendable {
  /// This key is needed.
  case missing(String)
  /// The value of this key is of another type, or impossible.
  case invalid(String)
  /// A key is not known. The call is refused and the key not ignored: it might have narrowed a question.
  case unknownKey
  /// There is no such type of samples.
  case unknownType
  /// There is no such unit, or it does not go with the type.
  case invalidUnit
  /// Conditions within conditions are too deep, or too many.
  case tooComplex

  /// The D-Bus name of the error.
  package var name: String {
    let word =
      switch self {
      case .missing, .invalid, .unknownKey: "InvalidArgument"
      case .unknownType: "UnknownType"
      case .invalidUnit: "InvalidUnit"
      case .tooComplex: "TooComplex"
      }
    return "org.sensord.Error.\(word)"
  }

  /// A sentence for a person.
  package var message: String {
    switch self {
    case .missing(let key): "'\(key)' is missing"
    case .invalid(let key): "'\(key)' cannot be used: it is of another type, or out of range"
    case .unknownKey: "there is a key that is not known"
    case .unknownType: "there is no such type"
    case .invalidUnit: "there is no such unit, or it does not go with the type"
    case .tooComplex: "the conditions are too deep or too many"
    }
  }
}
