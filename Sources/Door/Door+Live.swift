import Clients
import DBus

extension Door {
  /// `Live1`.
  func answerLive(_ call: ClientCall) throws(Refusal) {
    switch call.member {
    case "Subscribe":
      let effects = try registry.subscribe(call.sender, to: call.texts(0), at: now)
      // Values are taken from the recorder before the answer: what comes after it is not missed.
      settle()
      respond(to: call, .success)
      perform(effects)
    case "Unsubscribe":
      registry.unsubscribe(call.sender)
      respond(to: call, .success)
    default: respond(to: call, .unknownMethod)
    }
  }
}
