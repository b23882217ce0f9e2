import ClientInterfaces
import DBus
import HealthModel
import SeriesStore

// Errors of other modules, as a client gets them: no value, no text of a client, and nothing about what it may not see.

extension ArgumentError {
  var reply: Reply { .error(name: name, message: message) }
}

extension SeriesError {
  var reply: Reply {
    switch self {
    case .unknownType: ArgumentError.unknownType.reply
    case .incompatibleUnit: ArgumentError.invalidUnit.reply
    default: .error(name: "org.sensord.Error.InvalidSample", message: "the sample cannot be stored: \(self)")
    }
  }
}

extension StoreError {
  var reply: Reply {
    let (word, text): (String, String) =
      switch code {
      case .notFound: ("NotFound", "there is no such sample")
      case .lostAnchor, .foreignAnchor: ("LostAnchor", "the anchor is not known, or no longer; begin at the start")
      case .tooComplex: ("TooComplex", "the conditions are too deep or too many")
      case .invalid: ("InvalidArgument", "this cannot be stored or asked as it is")
      default: ("NotStored", "the store cannot be read or written now")
      }
    return .error(name: "org.sensord.Error.\(word)", message: text)
  }
}
