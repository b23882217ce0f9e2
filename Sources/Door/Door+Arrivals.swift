import Clients
import DBus
import HealthModel
import Ingestion
import SeriesStore

// The first call of a connection is answered after the bus has reported its user, and the store the owner's decisions.

extension Door {
  /// A call has come.
  func receive(_ call: Message) {
    guard let name = call.sender else { return }
    if hasGrants, registry.knows(name), !arrivals.contains(name) { return answer(call, from: name) }
    do throws(Refusal) {
      guard try arrivals.add(call, of: name), !registry.knows(name) else { return }
      connection?.assumeIsolated {
        $0.follow(name) { [weak self] credentials in
          self?.assumeIsolated { $0.arrived(name, credentials) }
        }
      }
    } catch {
      refuse(call, error)
    }
  }

  func refuse(_ call: Message, _ refusal: Refusal) {
    respond(to: call, .error(name: refusal.name, message: refusal.message))
  }

  /// Receives the bus's answer about a connection; nil if the connection has gone, or the bus does not know it.
  func arrived(_ name: String, _ credentials: CallerCredentials?) {
    guard arrivals.contains(name) else { return }
    do throws(Refusal) {
      guard let credentials else { throw .notAuthorized }
      try registry.connected(name, uid: credentials.uid, groups: credentials.groups)
    } catch {
      for call in arrivals.remove(name) { refuse(call, error) }
      connection?.assumeIsolated { $0.unfollow(name) }
      return
    }
    settle()
    if hasGrants { return answerArrivals() }
    Task(executorPreference: loop) { await self.readGrants() }
  }

  /// A connection has gone.
  func gone(_ name: String) {
    guard registry.knows(name) || arrivals.contains(name) else { return }
    connection?.assumeIsolated { $0.unfollow(name) }
    _ = arrivals.remove(name)
    requests = requests.filter { $0.value.sender != name }
    perform(registry.gone(name))
    settle()
  }

  private func answerArrivals() {
    for name in registry.names {
      for call in arrivals.remove(name) { answer(call, from: name) }
    }
  }

  /// Follows the store while a client is connected: what another process decides takes effect at once.
  func followStore() {
    if registry.isEmpty {
      storeChanges?.cancel()
      storeChanges = nil
      hasGrants = false
    } else if storeChanges == nil {
      let events = recorder.events(.store, capacity: 1)
      storeChanges = Task(executorPreference: loop) { await self.follow(events) }
    }
  }

  private func follow(_ events: RecorderEvents) async {
    for await _ in events {
      guard !Task.isCancelled else { return }
      await readGrants()
    }
  }

  /// Reads the owner's decisions. If they cannot be read, those read last stay, new callers wait, and the decisions are
  /// tried again.
  func readGrants() async {
    let grants: [Grant]
    let objects: [ObjectGrant]
    do throws(StoreError) {
      grants = try await recorder.openStore?.grants() ?? []
      objects = try await recorder.openStore?.objectGrants() ?? []
      grantsProblem = nil
    } catch {
      if grantsProblem != error { settings.log(.error, "the grants of other programs cannot be read: \(error)") }
      grantsProblem = error
      return readGrantsLater()
    }
    let effects = registry.replaceDecisions(with: grants, objects: objects, at: now)
    hasGrants = !registry.isEmpty
    perform(effects)
    settle()
    answerArrivals()
  }

  /// One attempt waits at a time, and none while no client is connected.
  private func readGrantsLater() {
    guard !isReadingLater, !registry.isEmpty else { return }
    isReadingLater = true
    _ = loop.schedule(after: .seconds(2)) { [weak self] in
      self?.assumeIsolated { door in
        door.isReadingLater = false
        guard !door.isClosing, !door.registry.isEmpty else { return }
        Task(executorPreference: door.loop) { await door.readGrants() }
      }
    }
  }
}

/// Calls of connections of which it is not known yet who they are, or what their owner has decided. Pure.
///
/// There may be any number of connections, since nobody knows yet whose they are, and none must keep another out: the
/// bus limits how many a user has. The calls that each may leave here are limited.
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
