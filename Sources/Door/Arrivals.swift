import Clients
import DBus

/// Calls of connections of which it is not known yet who they are, or what their owner has decided. Pure.
///
/// There may be any number of connections, since nobody knows yet whose they are, and none must keep another out: the bus limits how
/// many a user has. What each may leave here is limited.
struct Arrivals {
  private struct Arrival {
    var calls: [Message] = []
    var bytes = 0
  }

  private let limits: ClientLimits
  private var arrivals: [String: Arrival] = [:]

  init(_ limits: ClientLimits) {
    self.limits = limits
  }

  func contains(_ name: String) -> Bool { arrivals[name] != nil }

  /// A call waits.
  ///
  /// - Returns: Whether it is the connection's first, so that it has to be found out who that is.
  /// - Throws: ``Clients/Refusal/limitsExceeded(_:)``; the call does not wait then.
  mutating func add(_ call: Message, of name: String) throws(Refusal) -> Bool {
    var arrival = arrivals[name] ?? Arrival()
    guard let bytes = try? call.bodyBytes, arrival.bytes + bytes <= limits.waitingBytes,
      arrival.calls.count < limits.waitingCalls
    else { throw .limitsExceeded(.calls) }
    arrival.calls.append(call)
    arrival.bytes += bytes
    return arrivals.updateValue(arrival, forKey: name) == nil
  }

  /// A connection waits no more.
  ///
  /// - Returns: Its calls, in order.
  mutating func remove(_ name: String) -> [Message] {
    arrivals.removeValue(forKey: name)?.calls ?? []
  }

  /// The bus has gone, and everybody with it.
  mutating func removeAll() {
    arrivals = [:]
  }
}
