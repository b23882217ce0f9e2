import Clients
import DBus
import HealthModel

extension Door {
  /// `Authorization1`.
  func answerAuthorization(_ call: ClientCall) throws(Refusal) {
    switch call.member {
    case "Identify":
      let effects = try registry.identify(call.sender, as: call.text(0), at: now)
      respond(to: call, .success)
      perform(effects)
    case "Request":
      lastRequest += 1
      let number = lastRequest
      let effects = try registry.request(
        call.sender, share: call.texts(0), read: call.texts(1), call: number, at: now)
      requests[number] = call
      perform(effects)
    case "RequestObjects":
      // No type is known yet of which an owner allows single samples.
      _ = try registry.shareStatus(call.sender, of: call.text(0))
      throw .notByObject
    case "Status":
      let decision = try registry.shareStatus(call.sender, of: call.text(0))
      respond(to: call, .values([.string(Self.word(for: decision))]))
    default: respond(to: call, .unknownMethod)
    }
  }

  private static func word(for decision: Grant.Decision?) -> String {
    switch decision {
    case .allowed: "sharingAuthorized"
    case .denied: "sharingDenied"
    case nil: "notDetermined"
    }
  }
}
