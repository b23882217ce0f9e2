import ClientInterfaces
import Clients
import DBus
import FoundationEssentials
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
      case .notFound: ("NotFound", "there is no such object")
      case .attachment(let error): ("InvalidAttachment", error.description)
      case .lostAnchor, .foreignAnchor: ("LostAnchor", "the anchor is not known, or no longer; begin at the start")
      case .tooComplex: ("TooComplex", "the conditions are too deep or too many")
      case .invalid: ("InvalidArgument", "this cannot be stored or asked as it is")
      // It is open as long as the recorder runs: whoever waits knows that another try may succeed.
      case .closed: ("NotRecording", "the recorder is starting or stopping")
      default: ("NotStored", "the store cannot be read or written now")
      }
    return .error(name: "org.sensord.Error.\(word)", message: text)
  }
}

/// Why a call is not carried out, as it is answered: errors of several modules meet in one call.
struct RefusedCall: Error {
  let reply: Reply

  init(_ refusal: Refusal) { reply = .refusal(refusal) }
  init(_ error: ArgumentError) { reply = error.reply }
  init(_ error: SeriesError) { reply = error.reply }
  init(_ error: StoreError) { reply = error.reply }
}

extension Value {
  /// Identifiers as an `as`, as they stand everywhere on the bus.
  static func identifiers(_ identifiers: [UUID]) -> Value { .strings(identifiers.map { $0.uuidString.lowercased() }) }
}
