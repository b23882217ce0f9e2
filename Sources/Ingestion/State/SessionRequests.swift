import Captures
import FoundationEssentials
import HealthModel
import Sensors

/// The sessions that were asked for and whose end nobody has asked for yet, also where they are over by themselves: what a request
/// is called, and in which session it goes on. Pure.
struct SessionRequests {
  private var byIdentifier: [UUID: RequestedSession] = [:]

  /// In the order of their identifiers.
  var all: [RequestedSession] { byIdentifier.values.sorted { $0.request.uuidString < $1.request.uuidString } }

  subscript(identifier: UUID) -> RequestedSession? { byIdentifier[identifier] }

  /// One begins. What was asked for of the same sensor before is over.
  mutating func begin(_ requested: RequestedSession) {
    byIdentifier = byIdentifier.filter { $0.value.sensor != requested.sensor }
    byIdentifier[requested.request] = requested
  }

  /// A request goes on in this session.
  mutating func note(_ request: SessionRequest, session: UUID) {
    byIdentifier[request.identifier]?.session = session
  }

  /// Its end is stored, or nobody will ask for it.
  mutating func remove(_ identifier: UUID) {
    byIdentifier[identifier] = nil
  }
}
