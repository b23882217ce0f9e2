/// Why arguments of a call cannot be used. It names keys of ours, never what the caller sent.
package enum ArgumentError: Error, Hashable, Sendable {
  /// This key is needed.
  case missing(String)
  /// What stands under this key is of another type, or cannot be.
  case invalid(String)
  /// There is a key that is not known. It is refused and not ignored: it might have narrowed a question.
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
