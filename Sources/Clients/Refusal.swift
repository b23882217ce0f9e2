/// Why a call of a client is refused. No text of a client and no health data are in it.
package enum Refusal: Error, Hashable, Sendable {
  /// The caller is no owner, or may not save what it wants to save.
  case notAuthorized
  /// A connection identifies itself once.
  case alreadyIdentified
  /// The text is no application identifier.
  case invalidApplication
  /// The text is no address of a sensor.
  case invalidSensor
  /// No such type of samples is known.
  case unknownType
  /// A decision about nothing.
  case nothingToDecide
  /// The client, or its user, has used up what one may have.
  case limitsExceeded(Limit)
  /// The store could not be read or written.
  case notStored

  /// What there is a limit of.
  package enum Limit: String, Hashable, Sendable {
    case calls = "too many calls in a second"
    case connections = "too many connections of this user"
    case clients = "too many clients"
    case subscriptions = "too many live subscriptions of this user"
    case requests = "too many requests that wait for the owner"
    case types = "too many types in one call"
    case sensors = "too many sensors in one call"
  }

  /// The D-Bus name of the error.
  package var name: String {
    let word =
      switch self {
      case .notAuthorized: "NotAuthorized"
      case .alreadyIdentified: "AlreadyIdentified"
      case .invalidApplication: "InvalidApplication"
      case .invalidSensor: "InvalidSensor"
      case .unknownType: "UnknownType"
      case .nothingToDecide: "NothingToDecide"
      case .limitsExceeded: "LimitsExceeded"
      case .notStored: "NotStored"
      }
    return "org.sensord.Error.\(word)"
  }

  /// A sentence for a person.
  package var message: String {
    switch self {
    case .notAuthorized: "the owner has not allowed this"
    case .alreadyIdentified: "this connection has identified itself already"
    case .invalidApplication:
      "an application identifier has 1 to 100 of the ASCII letters, digits, '.', '_' and '-', the first a letter"
    case .invalidSensor: "a sensor is named by its address, C0:FF:EE:00:00:01 for example"
    case .unknownType: "there is no such type"
    case .nothingToDecide: "no type is named"
    case .limitsExceeded(let limit): limit.rawValue
    case .notStored: "the store cannot be read or written now"
    }
  }
}
